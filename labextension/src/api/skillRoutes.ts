/**
 * Requests about skills. They reject as those of the client do.
 */
import type { CabinetClient } from './client';
import type { NewSkill, SkillDetail, SkillList, SkillVerdict } from './types';

/** One method for each route. */
export class SkillRoutes {
  constructor(private readonly _client: CabinetClient) {}

  /** By name. */
  list(): Promise<SkillList> {
    return this._client.ask('GET', 'skills');
  }

  one(name: string): Promise<SkillDetail> {
    return this._client.ask('GET', pathOf(name));
  }

  add(skill: NewSkill): Promise<SkillDetail> {
    return this._client.ask('POST', 'skills', skill);
  }

  /** Replace SKILL.md. `hash`: of the version that the person has seen. */
  save(name: string, text: string, hash: string): Promise<SkillDetail> {
    return this._client.ask('PUT', pathOf(name), { text, hash });
  }

  /** Exactly of the files with this hash. `unseen`: those that are approved without being shown whole. */
  decide(
    name: string,
    hash: string,
    decision: SkillVerdict,
    unseen: readonly string[] = []
  ): Promise<SkillDetail> {
    return this._client.ask('POST', `${pathOf(name)}/decision`, { hash, decision, unseen });
  }

  remove(name: string): Promise<void> {
    return this._client.remove(pathOf(name));
  }
}

function pathOf(name: string): string {
  return `skills/${encodeURIComponent(name)}`;
}
