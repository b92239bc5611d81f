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
    return this._client.ask('GET', 'skills/{name}', { path: { name } });
  }

  add(skill: NewSkill): Promise<SkillDetail> {
    return this._client.ask('POST', 'skills', { body: skill });
  }

  /** Replace SKILL.md. `hash`: of the version that the person has seen. */
  save(name: string, text: string, hash: string): Promise<SkillDetail> {
    return this._client.ask('PUT', 'skills/{name}', { path: { name }, body: { text, hash } });
  }

  /** Exactly of the files with this hash. `unseen`: those that are approved without being shown whole. */
  decide(
    name: string,
    hash: string,
    decision: SkillVerdict,
    unseen: readonly string[] = []
  ): Promise<SkillDetail> {
    return this._client.ask('POST', 'skills/{name}/decision', {
      path: { name },
      body: { hash, decision, unseen: [...unseen] }
    });
  }

  async remove(name: string): Promise<void> {
    await this._client.ask('DELETE', 'skills/{name}', { path: { name } });
  }
}
