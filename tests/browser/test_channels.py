"""The tab of channels in a real browser, with a local double of Telegram and the demo agent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, expect

from jupyter_cabinet.testing.discord import BOT, DiscordServer
from jupyter_cabinet.testing.slack import SlackServer
from jupyter_cabinet.testing.telegram import Fault, Group, TelegramServer
from jupyter_cabinet.testing.webhook import WebhookReceiver, signed_delivery

OpenLab = Callable[..., Lab]

CODE = re.compile(r"[A-Z2-9]{4}-[A-Z2-9]{4}")


@pytest.fixture
def telegram() -> Iterator[TelegramServer]:
    with TelegramServer() as server:
        yield server


def make_agent(server: Server, slug: str) -> None:
    fields = {"name": slug.capitalize(), "runtime": "demo", "heartbeat_enabled": False}
    with server.browser_client("ada") as client:
        body = {"slug": slug, "template": "research", "fields": fields}
        client.post("agents", json=body).raise_for_status()


def open_tab(server: Server, open_lab: OpenLab, name: str, theme: str = "light") -> tuple[Lab, Locator]:
    page = server.root / f"{name}.md"
    page.write_text("# Channels\n")
    lab = open_lab(server, page.name, theme=theme)
    lab.command("cabinet:channels")
    tab = lab.page.locator(".jp-Cabinet-channels")
    expect(tab).to_be_visible()
    tab.get_by_role("tab", name="Channels").click()
    return lab, tab


def add_channel(lab: Lab, tab: Locator, telegram: TelegramServer, *, title: str, agent: str = "None") -> Locator:
    """Add a channel by its dialog, and return its page when it is connected."""
    tab.get_by_role("button", name="Add channel…").click()
    form = lab.page.get_by_role("dialog", name="Add channel")
    expect(form.get_by_label("Platform")).to_be_focused()
    expect(form.get_by_label("Platform")).to_have_value("")
    expect(form.get_by_role("button", name="Add channel")).to_be_disabled()
    form.get_by_label("Platform").select_option(label="Telegram")
    form.get_by_label("Title").fill(title)
    form.get_by_label("Token").fill("not a token")
    form.get_by_label("Agent", exact=True).select_option(label=agent)
    form.get_by_text("Advanced").click()
    form.get_by_label("Server address").fill(telegram.url)
    form.get_by_role("button", name="Add channel").click()
    expect(form).to_contain_text("This is not the token of a Telegram bot.")
    expect(form.get_by_label("Token")).to_have_attribute("aria-invalid", "true")
    form.get_by_label("Token").fill(telegram.token)
    form.get_by_role("button", name="Add channel").click()
    expect(form).to_have_count(0)
    page = tab.get_by_role("region", name="Channel", exact=True)
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page).to_contain_text("Connected as @cabinet_test_bot")
    return page


def connect_account(lab: Lab, tab: Locator, telegram: TelegramServer) -> None:
    """Write as a stranger, and enter the code that the bot tells."""
    telegram.write("hello")
    found = CODE.search(telegram.wait_for_text("do not know this account").text)
    assert found
    tab.get_by_role("button", name="Enter code…").click()
    form = lab.page.get_by_role("dialog", name="Connect an account")
    expect(form.get_by_label("Code")).to_be_focused()
    form.get_by_label("Code").fill("AAAA-AAAA")
    form.get_by_role("button", name="Continue").click()
    expect(form).to_contain_text("This code is wrong or too old.")
    form.get_by_label("Code").fill(found[0])
    form.get_by_label("Code").press("Enter")
    expect(form).to_contain_text("Calls itself")
    expect(form).to_contain_text("1001")
    expect(form.get_by_label("May ask agents")).to_be_checked()
    expect(form.get_by_label("May answer approval requests")).not_to_be_checked()
    lab.screenshot("channels-connect")
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    form.get_by_role("button", name="Connect", exact=True).click()
    expect(form).to_have_count(0)


def delete_channel(lab: Lab, page: Locator, platform: str = "Telegram") -> None:
    page.get_by_role("button", name="Delete…").click()
    dialog = lab.page.get_by_role("dialog", name="Delete the channel")
    expect(dialog).to_contain_text(f"The bot stays in {platform}.")
    dialog.get_by_role("button", name="Delete").click()
    expect(page).to_have_count(0)
    expect(lab.page.locator(".jp-Cabinet-channels")).to_be_focused()


@pytest.mark.long(reason="the rules are in channels.spec.ts and tests/unit/channels/test_conformance.py")
@looks.in_both_themes
def test_a_person_connects_an_account_and_reads_what_is_said(
    lab_server: Server, open_lab: OpenLab, telegram: TelegramServer, theme: str
) -> None:
    agent = f"helper{theme}"
    make_agent(lab_server, agent)
    lab, tab = open_tab(lab_server, open_lab, f"channels-{theme}", theme)
    expect(tab).to_contain_text(
        "create a bot with @BotFather in Telegram, an app in Slack, or an application in Discord"
    )
    lab.screenshot(f"channels-empty-{theme}")
    page = add_channel(lab, tab, telegram, title="Team bot", agent=agent.capitalize())
    expect(page).to_contain_text("No messages yet")
    expect(page.get_by_role("link", name="https://t.me/cabinet_test_bot")).to_be_visible()

    connect_account(lab, tab, telegram)
    accounts = tab.get_by_role("region", name="Connected accounts")
    account = accounts.get_by_role("listitem")
    expect(account).to_contain_text("Ada")
    expect(account).to_contain_text("may ask agents")
    account.get_by_role("button", name="Edit…").click()
    form = lab.page.get_by_role("dialog", name="Edit the account Ada")
    form.get_by_label("May answer approval requests").check()
    form.get_by_label("Notify").select_option("When something has failed or needs me")
    form.get_by_label("Quiet from").fill("22:00")
    expect(form.get_by_label("Time zone")).not_to_have_value("")
    form.get_by_role("button", name="Save").click()
    expect(form).to_contain_text("Quiet hours need a start and an end.")
    form.get_by_label("Quiet until").fill("07:00")
    lab.screenshot(f"channels-notify-{theme}")
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    form.get_by_role("button", name="Save").click()
    expect(account).to_contain_text("may answer approval requests · is notified")
    lab.screenshot(f"channels-accounts-{theme}")
    tab.get_by_role("tab", name="Channels").click()
    expect(page.get_by_role("button", name="1 connected account")).to_be_visible()

    telegram.write("remember **good** morning <img src=x onerror=alert(1)>")
    telegram.wait_for_text("good")
    messages = page.get_by_role("region", name="Messages").get_by_role("listitem")
    expect(messages).to_have_count(2)
    expect(messages.last).to_contain_text("From Ada")
    expect(messages.last).to_contain_text("**good** morning <img src=x")
    expect(messages.last).to_contain_text("Answered")
    expect(messages.first).to_contain_text(f"Answer of {agent.capitalize()}")
    expect(messages.first).to_contain_text("Sent")
    expect(page.locator("img")).to_have_count(0)
    page.get_by_role("button", name="Send test message").click()
    telegram.wait_for_text("This is a test message from Jupyter Cabinet.")
    expect(messages).to_have_count(3)
    page.get_by_label("Search messages").fill("test message")
    expect(messages).to_have_count(1)
    page.get_by_label("Search messages").fill("")
    expect(messages).to_have_count(3)
    telegram.write("@cabinet_test_bot /help", group=Group(-100200))
    telegram.wait_for_text("/agents")
    expect(messages).to_have_count(5)
    page.get_by_role("button", name="Chats…").click()
    form = lab.page.get_by_role("dialog", name="Chats of Team bot")
    group = form.get_by_role("group", name="Group")
    group.get_by_label("Names of this chat").fill("news, two words, Ops!")
    form.get_by_role("button", name="Save").click()
    expect(form).to_contain_text("A name has small letters, digits and hyphens, such as team-news.")
    group.get_by_label("Names of this chat").fill("#News")
    group.get_by_label("Answered by").select_option(agent.capitalize())
    lab.screenshot(f"channels-chats-{theme}")
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    page.get_by_role("button", name="Chats…").click()
    expect(group.get_by_label("Names of this chat")).to_have_value("news")
    expect(group.get_by_label("Answered by")).to_have_value(agent)
    form.get_by_role("button", name="Cancel").click()
    expect(page).to_contain_text("Connected as @cabinet_test_bot")
    lab.screenshot(f"channels-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-channels", lab.command) == []
    assert looks.wrong_by_tab(lab.page, ".jp-Cabinet-channels", ".jp-Cabinet-channels [role=tab]") == []
    lab.page.set_viewport_size({"width": 600, "height": 900})
    lab.screenshot(f"channels-narrow-{theme}")
    page.get_by_role("button", name="Back to the list").press("Enter")
    row = tab.get_by_role("region", name="Channels").get_by_role("button", name="Team bot")
    expect(row).to_be_focused()
    row.press("Enter")
    expect(page).to_be_focused()
    lab.page.set_viewport_size({"width": 1440, "height": 900})

    page.get_by_role("button", name="Switch off").click()
    expect(page).to_contain_text("Off")
    page.get_by_role("button", name="Switch on").click()
    expect(page).to_contain_text("Connected as @cabinet_test_bot")
    messages.last.get_by_role("button", name="Open run").click()
    expect(lab.page.get_by_role("tab", name=agent.capitalize())).to_be_visible()
    lab.command("cabinet:channels")
    delete_channel(lab, page)
    expect(tab).to_contain_text("No channels yet")
    tab.get_by_role("tab", name="Connected accounts").click()
    expect(tab).to_contain_text("No connected accounts")


@pytest.mark.long(reason="failed connections are tested without a browser")
def test_a_channel_says_why_it_failed_and_is_repaired(
    lab_server: Server, open_lab: OpenLab, telegram: TelegramServer
) -> None:
    lab, tab = open_tab(lab_server, open_lab, "channels-failed")
    page = add_channel(lab, tab, telegram, title="Broken bot")
    telegram.always = Fault(method="*", kind="unauthorized")
    page.get_by_role("button", name="Edit…").click()
    form = lab.page.get_by_role("dialog", name="Edit channel")
    expect(form.get_by_label("Token")).to_have_value("")
    form.get_by_label("Title").fill("Renamed bot")
    form.get_by_role("button", name="Save").click()
    expect(page).to_contain_text("Failed")
    expect(page).to_contain_text("token")
    lab.screenshot("channels-failed")
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    telegram.always = None
    page.get_by_role("button", name="Edit…").click()
    form.get_by_role("button", name="Save").click()
    expect(page).to_contain_text("Connected as @cabinet_test_bot")
    expect(page.get_by_role("heading", name="Renamed bot")).to_be_visible()
    page.get_by_role("button", name="Send test message").click()
    expect(tab.get_by_role("alert")).to_contain_text("Connect your account and write to the bot once")
    delete_channel(lab, page)
    expect(tab).to_contain_text("No channels yet")


@pytest.mark.long(reason="the quick tier connects another account")
def test_a_channel_in_slack_needs_two_tokens(lab_server: Server, open_lab: OpenLab) -> None:
    with SlackServer() as slack:
        lab, tab = open_tab(lab_server, open_lab, "channels-slack")
        tab.get_by_role("button", name="Add channel…").click()
        form = lab.page.get_by_role("dialog", name="Add channel")
        form.get_by_label("Platform").select_option(label="Slack")
        create = form.get_by_role("link", name="Create the app")
        expect(create).to_have_attribute(
            "href", re.compile(r"^https://api\.slack\.com/apps\?new_app=1&manifest_json=%7B")
        )
        form.get_by_label("Title").fill("Workspace")
        form.get_by_label("Bot token").fill(slack.token)
        expect(form.get_by_role("button", name="Add channel")).to_be_disabled()
        form.get_by_label("App token").fill(slack.token)
        form.get_by_text("Advanced").click()
        form.get_by_label("Server address").fill(slack.url)
        assert looks.wrong(lab.page, "text", "names", "targets") == []
        lab.screenshot("channels-add-slack")
        form.get_by_role("button", name="Add channel").click()
        expect(form).to_contain_text("This is not the app token of a Slack app. It looks like xapp-….")
        expect(form.get_by_label("App token")).to_have_attribute("aria-invalid", "true")
        form.get_by_label("App token").fill(slack.app_token)
        form.get_by_role("button", name="Add channel").click()
        expect(form).to_have_count(0)
        page = tab.get_by_role("region", name="Channel", exact=True)
        expect(page).to_contain_text("Connected as @cabinet")
        expect(page.get_by_role("link", name="app_redirect")).to_be_visible()
        page.get_by_role("button", name="Edit…").click()
        form = lab.page.get_by_role("dialog", name="Edit channel")
        expect(form.get_by_label("Platform")).to_have_count(0)
        expect(form.get_by_label("App token")).to_have_value("")
        form.get_by_role("button", name="Save").click()
        expect(form).to_have_count(0)
        expect(page).to_contain_text("Connected as @cabinet")
        delete_channel(lab, page, "Slack")


@looks.in_both_themes
@pytest.mark.long(reason="what is sent is tested without a browser")
def test_a_service_that_only_takes_messages_is_added(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    lab, tab = open_tab(lab_server, open_lab, f"channels-service-{theme}", theme)
    tab.get_by_role("button", name="Add channel…").click()
    form = lab.page.get_by_role("dialog", name="Add channel")
    form.get_by_label("Platform").select_option("Mail and other services")
    expect(form.get_by_label("Agent", exact=True)).to_have_count(0)
    form.get_by_label("Title").fill("Reports")
    form.get_by_label("Address").fill("json://127.0.0.1:9/")
    form.get_by_label("Keep messages").select_option("For a week")
    lab.screenshot(f"channels-service-{theme}")
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    form.get_by_role("button", name="Add channel").click()
    expect(form).to_have_count(0)
    page = tab.get_by_role("region", name="Channel", exact=True)
    expect(page).to_contain_text("Sends by JSON")
    page.get_by_role("button", name="Chats…").click()
    form = lab.page.get_by_role("dialog", name="Chats of Reports")
    form.get_by_label("Names of this chat").fill("reports")
    expect(form.get_by_label("Answered by")).to_have_count(0)
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    page.get_by_role("button", name="Send test message").click()
    expect(page).to_contain_text("1 message may not have arrived")
    lab.screenshot(f"channels-service-page-{theme}")
    with lab.page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert download.value.suggested_filename == "Reports.md"
    exported = Path(download.value.path()).read_text()
    assert exported.startswith("# Reports\n\n## ") and "> This is a test message" in exported
    tab.get_by_role("tab", name="Connected accounts").click()
    account = tab.get_by_role("region", name="Connected accounts").get_by_role("listitem")
    account.get_by_role("button", name="Edit…").click()
    form = lab.page.get_by_role("dialog", name="Edit the account Reports")
    expect(form.get_by_label("May ask agents")).to_have_count(0)
    form.get_by_label("Notify").select_option("When something has failed")
    lab.screenshot(f"channels-service-account-{theme}")
    form.get_by_role("button", name="Save").click()
    expect(account).to_contain_text("is notified")
    tab.get_by_role("tab", name="Channels").click()
    page.get_by_role("button", name="Edit…").click()
    form = lab.page.get_by_role("dialog", name="Edit channel")
    expect(form.get_by_label("Keep messages").locator("option:checked")).to_have_text("For a week")
    form.get_by_role("button", name="Cancel").click()
    delete_channel(lab, page, "Mail and other services")


@pytest.mark.long(reason="the quick tier connects another account")
def test_a_web_chat_needs_no_token_and_shows_where_its_page_is(lab_server: Server, open_lab: OpenLab) -> None:
    agent = "kitchenhelper"
    make_agent(lab_server, agent)
    lab, tab = open_tab(lab_server, open_lab, "channels-web")
    tab.get_by_role("button", name="Add channel…").click()
    form = lab.page.get_by_role("dialog", name="Add channel")
    form.get_by_label("Platform").select_option(label="Web chat")
    address = f"{lab_server.url}cabinet/chat"
    expect(form.get_by_role("link")).to_have_count(0)  # before the channel is added, the page has nothing to show
    expect(form.get_by_label("Token")).to_have_count(0)
    expect(form.get_by_text("Advanced")).to_have_count(0)
    form.get_by_label("Title").fill("Kitchen table")
    form.get_by_label("Agent", exact=True).select_option(label=agent.capitalize())
    assert looks.wrong(lab.page, "text", "names", "targets") == []
    lab.screenshot("channels-add-web")
    form.get_by_role("button", name="Add channel").click()
    page = tab.get_by_role("region", name="Channel", exact=True)
    expect(page).to_contain_text("Open since")
    link = page.get_by_role("link", name="cabinet/chat")
    expect(link).to_have_attribute("href", re.compile(rf"^{re.escape(address)}#[0-9a-z]{{26}}$"))

    with lab.page.expect_popup() as opened:
        link.click()
    chat = opened.value
    chat.get_by_role("textbox", name="Message").fill("remember good morning")
    chat.get_by_role("textbox", name="Message").press("Enter")
    expect(chat.get_by_role("log")).to_contain_text("I have noted: good morning")
    chat.close()
    messages = page.get_by_role("region", name="Messages").get_by_role("listitem")
    expect(messages).to_have_count(2)
    expect(messages.first).to_contain_text("I have noted: good morning")
    page.get_by_role("button", name="Send test message").click()
    expect(messages).to_have_count(3)
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-channels", lab.command) == []
    lab.screenshot("channels-web")

    page.get_by_role("button", name="1 connected account").click()
    account = tab.get_by_role("region", name="Connected accounts").get_by_role("listitem")
    account.get_by_role("button", name="Edit…").click()
    form = lab.page.get_by_role("dialog", name="Edit the account")
    expect(form.get_by_label("Own agent")).to_be_visible()
    expect(form.get_by_label("May ask agents")).to_have_count(0)
    form.get_by_label("Notify").select_option("When something has failed")
    form.get_by_role("button", name="Save").click()
    expect(account).to_contain_text("is notified")
    tab.get_by_role("tab", name="Channels").click()
    page.get_by_role("button", name="Delete…").click()
    dialog = lab.page.get_by_role("dialog", name="Delete the channel")
    expect(dialog).not_to_contain_text("The bot stays")
    dialog.get_by_role("button", name="Delete").click()
    expect(tab).to_contain_text("No channels yet")


@pytest.mark.long(reason="the form and the page are those of the other platforms")
def test_a_channel_in_discord_needs_one_token(lab_server: Server, open_lab: OpenLab) -> None:
    with DiscordServer() as discord:
        lab, tab = open_tab(lab_server, open_lab, "channels-discord")
        tab.get_by_role("button", name="Add channel…").click()
        form = lab.page.get_by_role("dialog", name="Add channel")
        form.get_by_label("Platform").select_option(label="Discord")
        portal = form.get_by_role("link", name="Open the Developer Portal")
        expect(portal).to_have_attribute("href", "https://discord.com/developers/applications")
        form.get_by_label("Title").fill("Community")
        form.get_by_label("Token").fill("xoxb-of-another-platform")
        form.get_by_text("Advanced").click()
        form.get_by_label("Server address").fill(discord.url)
        assert looks.wrong(lab.page, "text", "names", "targets") == []
        lab.screenshot("channels-add-discord")
        form.get_by_role("button", name="Add channel").click()
        expect(form).to_contain_text("This is not the token of a Discord bot. It looks like MTA1….G1a2b3.….")
        form.get_by_label("Token").fill(discord.token)
        form.get_by_role("button", name="Add channel").click()
        expect(form).to_have_count(0)
        page = tab.get_by_role("region", name="Channel", exact=True)
        expect(page).to_contain_text("Connected as @cabinet")
        expect(page.get_by_role("link", name=f"{discord.url}/users/{BOT}")).to_be_visible()
        delete_channel(lab, page, "Discord")


@pytest.mark.long(reason="the stores, the server and its routes have faster tests")
def test_a_webhook_gets_its_secret_on_its_page_and_shows_the_conversation(
    lab_server: Server, open_lab: OpenLab
) -> None:
    make_agent(lab_server, "hooked")
    lab, tab = open_tab(lab_server, open_lab, "channels-webhook")
    with WebhookReceiver() as receiver:
        tab.get_by_role("button", name="Add channel…").click()
        form = lab.page.get_by_role("dialog", name="Add channel")
        form.get_by_label("Platform").select_option(label="Webhook")
        form.get_by_label("Title").fill("Kitchen")
        form.get_by_label("Agent", exact=True).select_option(label="Hooked")
        expect(form.get_by_role("button", name="Add channel")).to_be_disabled()
        form.get_by_label("Receiver", exact=True).fill("http://example.org/answers")
        form.get_by_role("button", name="Add channel").click()
        expect(form).to_contain_text("The address must begin with https://")
        form.get_by_label("Receiver", exact=True).fill(receiver.address)
        form.get_by_label("The receiver shows buttons").check()
        lab.screenshot("channels-webhook-form")
        assert looks.wrong(lab.page, "text", "names", "targets") == []
        form.get_by_role("button", name="Add channel").click()
        expect(form).to_have_count(0)
        page = tab.get_by_role("region", name="Channel", exact=True)
        expect(page).to_contain_text("This channel has no secret yet")
        page.get_by_role("button", name="Create a secret").click()
        expect(page).to_contain_text("The secret, which is shown only once:")
        address, secret = page.locator("code").all_inner_texts()
        expect(page).to_contain_text("Open since")
        lab.screenshot("channels-webhook")
        assert looks.wrong(lab.page, "text", "names", "targets") == []

        receiver.secret = secret
        write_to_webhook(address, secret, "hello")
        code = CODE.search(until(lambda: receiver.taken)[0]["text"])
        assert code is not None
        with lab_server.browser_client("ada") as client:
            client.post("channel-pairings", json={"code": code[0], "may": ["ask"]}).raise_for_status()
        write_to_webhook(address, secret, "remember milk")
        messages = page.get_by_role("region", name="Messages").get_by_role("listitem")
        expect(messages).to_have_count(2)
        expect(messages.first).to_contain_text("I have noted: milk")
        expect(messages.first).to_contain_text("Sent")
        page.get_by_role("button", name="Delete…").click()
        dialog = lab.page.get_by_role("dialog", name="Delete the channel")
        expect(dialog).to_contain_text("Its address takes no more messages.")
        dialog.get_by_role("button", name="Delete").click()
        expect(page).to_have_count(0)


def write_to_webhook(address: str, secret: str, text: str) -> None:
    body = {"conversation": "kitchen", "sender": {"id": "ada", "name": "Ada"}, "id": text, "text": text, "direct": True}
    signed = signed_delivery(secret, json.dumps(body).encode(), id=text.replace(" ", "-"))
    headers = {
        "X-Cabinet-Timestamp": signed.timestamp,
        "X-Cabinet-Delivery": signed.id,
        "X-Cabinet-Signature": signed.signature,
    }
    httpx.post(address, content=signed.body, headers=headers).raise_for_status()
