/**
 * Why a tool did nothing, for a program; the text says it to a model, with what to do next.
 *
 * - `changed`, `restored`: the file is not what the model last saw of it.
 * - `superseded`: the turn that the call belongs to was rewound.
 * - `notRecording`: what the tool would overwrite could not be kept, so it did not run.
 */
export type RefusalCode =
  | 'input' | 'outside' | 'notRecording' | 'notFound' | 'exists' | 'notFile' | 'notText' | 'tooLarge' | 'protected'
  | 'textNotFound' | 'textNotUnique' | 'changed' | 'restored' | 'superseded' | 'unsaved' | 'cancelled' | 'failed';

export type ToolResult =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly text: string };

/** Carries a refusal out of the middle of a call: the wrapper takes whatever is thrown there for a tool that failed. */
export class Refused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'Refused';
    this.code = code;
  }
}
