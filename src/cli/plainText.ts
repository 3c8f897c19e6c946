/*
 * What agents, users and file names bring is shown on a terminal, where a control character is a command and
 * a mark of writing direction makes a text read as another one. Both are shown as what they are.
 */

// Controls (with the escape, and the line breaks among them), and whatever else breaks lines or turns their direction.
const unplain = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

// In texts of several lines the line feeds, the line ends of Windows and the tabs are what they seem to be.
const unplainInText = new RegExp(`(?![\\n\\t]|\\r\\n)${unplain.source}`, 'gu');

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** One line: a name, a title, a sentence. Nothing in it can end it. */
export function plainLine(text: string): string {
  return text.replace(unplain, escaped);
}

/** A text of several lines, such as a patch. */
export function plainText(text: string): string {
  return text.replace(unplainInText, escaped);
}

/** Lines of our own making, each with whatever was put into it. */
export function plainLines(lines: readonly string[]): string {
  return lines.map(plainLine).join('\n');
}
