/**
 * Where a person is in the library: which of its lists is shown.
 */
import { Store } from '../../shared/store';
import type { SkillsStore } from './skills';
import type { ToolServersStore } from './toolServers';

export type LibraryPart = 'skills' | 'tools' | 'clis';

export class LibraryPlace extends Store {
  constructor(
    private readonly _skills: Pick<SkillsStore, 'choose'>,
    private readonly _toolServers: Pick<ToolServersStore, 'choose'>
  ) {
    super();
  }

  part: LibraryPart = 'skills';

  go(part: LibraryPart): void {
    this.part = part;
    this.tell();
  }

  /**
   * As the arguments of a command say: the name of a skill as `skill`, or of a tool server as `toolServer`. Without one,
   * the person stays there.
   */
  follow({ skill, toolServer }: { skill?: unknown; toolServer?: unknown }): void {
    if (typeof skill === 'string' && skill) {
      this.go('skills');
      this._skills.choose(skill);
    } else if (typeof toolServer === 'string' && toolServer) {
      this.go('tools');
      this._toolServers.choose(toolServer);
    }
  }
}
