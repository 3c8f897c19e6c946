import * as z from 'zod/mini';
import { lazy } from '../core/base/lazy.ts';

/** What models send, checked before anything else is looked at. Built when the first tool is called or listed. */
export const toolInputs = lazy(() => {
  const path = z.string().check(z.minLength(1), z.describe('The file: a path relative to the workspace folder, or an absolute one inside it.'));
  const version = z.optional(
    z.string().check(z.minLength(1), z.describe('The version of the file that you have read, as an earlier result or refusal of these tools named it. Give it when a call was refused because the file had changed and you have read it again.')),
  );
  const edit = {
    old_text: z.string().check(z.minLength(1), z.describe('The text to replace, exactly as it is in the file, with enough lines around it to be found only once. Line ends may be given as \\n whatever the file uses.')),
    new_text: z.string().check(z.describe('The text to put in its place.')),
    replace_all: z.optional(z.boolean().check(z.describe('Replace every place where old_text is found. Without it more than one place is refused.'))),
  };
  const id = z.string().check(z.minLength(1), z.describe('A turn, call, step, checkpoint or branch, as turnstone_list_checkpoints lists it. It may be shortened as long as it is unique.'));
  return {
    write: z.strictObject({ path, content: z.string().check(z.describe('All that the file is to hold, written as UTF-8, byte for byte.')), version }),
    edit: z.strictObject({ path, ...edit, version }),
    multiEdit: z.strictObject({
      path,
      edits: z.array(z.strictObject(edit)).check(z.minLength(1), z.describe('Replacements, made one after the other: each sees what those before it left.')),
      version,
    }),
    delete: z.strictObject({ path, version }),
    move: z.strictObject({ path, new_path: z.string().check(z.minLength(1), z.describe('Where the file is to be. Nothing may be there yet; missing folders are made.')), version }),
    list: z.strictObject({ limit: z.optional(z.int().check(z.minimum(1), z.maximum(200), z.describe('How many turns at most, newest first; 20 where it is not given.'))), all: z.optional(z.boolean().check(z.describe('Also turns that were rewound.'))) }),
    diff: z.strictObject({
      id,
      second_id: z.optional(z.string().check(z.minLength(1), z.describe('Another such id: then how the files differ between the two.'))),
      path: z.optional(z.string().check(z.minLength(1), z.describe('Only this file.'))),
    }),
  };
});

type Schemas = ReturnType<typeof toolInputs>;
export type InputOf<K extends keyof Schemas> = Readonly<z.infer<Schemas[K]>>;
export type InputKind = keyof Schemas;

export type Checked = { readonly kind: 'sound'; readonly input: unknown } | { readonly kind: 'unsound'; readonly reason: string };

export function checkInput(kind: InputKind, value: unknown): Checked {
  const parsed = z.safeParse(toolInputs()[kind], value);
  if (parsed.success) return { kind: 'sound', input: parsed.data };
  const issue = parsed.error.issues[0];
  const place = issue?.path.map(String).join('.') ?? '';
  const extra = issue?.code === 'unrecognized_keys' ? `there is no parameter ${issue.keys.join(', ')}` : undefined;
  return { kind: 'unsound', reason: extra ?? `${place === '' ? 'the input' : place} is missing or not what it should be` };
}

/** The schema that a model is shown. */
export function jsonSchemaOf(kind: InputKind): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(toolInputs()[kind]);
  return schema;
}
