"""Features for the churn table."""


def seats_per_plan(rows):
    """Return the number of seats of each plan."""
    totals = {}
    for row in rows:
        totals[row["plan"]] = totals.get(row["plan"], 0) + int(row["seats"])
    return totals
