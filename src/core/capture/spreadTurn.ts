import type { RecordOf } from '../timeline/records.ts';
import type { TurnOutcome } from './callFacts.ts';
import type { Recorder } from './recorder.ts';

/**
 * One turn in all folders that it comes to, for whoever runs its calls in one process. It is opened in each of them by what is recorded there
 * first, with its prompt, and ended in all.
 */
export class SpreadTurn {
  readonly id: string;
  private readonly opening: RecordOf<'session.open'>;
  private readonly prompt: string | undefined;
  private readonly title: string | undefined;
  private readonly visits = new Map<string, { readonly recorder: Recorder; readonly opened: Promise<unknown> }>();

  /** `title`: what its session is called. */
  constructor(opening: RecordOf<'session.open'>, id: string, prompt: string | undefined, title?: string) {
    this.opening = opening;
    this.id = id;
    this.prompt = prompt;
    this.title = title;
  }

  /** The keys of the folders that it has come to, the first one first. */
  get folders(): readonly string[] {
    return [...this.visits.keys()];
  }

  /** Opens it in a folder where it has not been. Throws what keeps it from being recorded there. */
  async comeTo(folder: string, recorder: Recorder): Promise<void> {
    const known = this.visits.get(folder);
    if (known !== undefined) return void (await known.opened);
    const { session } = this.opening;
    const opened = recorder.openTurn({ session, turn: this.id, prompt: this.prompt, opening: this.opening, title: this.title, elsewhere: this.visits.size > 0 });
    this.visits.set(folder, { recorder, opened });
    try {
      await opened;
    } catch (error) {
      this.visits.delete(folder);
      throw error;
    }
  }

  /** It is over in all of them. What goes wrong in one does not keep the others from hearing of it. */
  async end(outcome: TurnOutcome = 'closed'): Promise<void> {
    const ends = [...this.visits.values()].map(({ recorder }) => recorder.closeTurn(this.opening.session, this.id, outcome));
    const failed = (await Promise.allSettled(ends)).find(result => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
