import { childrenOf, endOf, hasComment, keyOf, memberOf, propertiesOf, valueOf, type JsonNode } from './jsonText.ts';

/** Tells our commands from everybody else's. */
export type IsOurs = (command: string) => boolean;

/** One of our handlers and where it sits. */
export interface HookPlace {
  readonly event: string;
  readonly command: string;
  readonly handler: JsonNode;
  /** The group that holds it; absent when somebody put it straight into the event's array. */
  readonly group: JsonNode | undefined;
  readonly eventProperty: JsonNode;
  readonly hooksProperty: JsonNode;
}

/** Finds our handlers in the order of the text. What has an unexpected shape is somebody else's and passed over. */
export function findHooks(root: JsonNode, isOurs: IsOurs): readonly HookPlace[] {
  const places: HookPlace[] = [];
  for (const hooksProperty of propertiesOf(root, 'hooks')) {
    const hooks = valueOf(hooksProperty);
    if (hooks?.type !== 'object') continue;
    for (const eventProperty of childrenOf(hooks)) {
      const event = keyOf(eventProperty);
      for (const element of elementsOf(valueOf(eventProperty))) {
        const visit = (handler: JsonNode, group: JsonNode | undefined) => {
          const command = memberOf(handler, 'command')?.value as unknown;
          if (typeof command !== 'string' || !isOurs(command)) return;
          places.push({ event, command, handler, group, eventProperty, hooksProperty });
        };
        visit(element, undefined);
        for (const property of propertiesOf(element, 'hooks')) {
          for (const handler of elementsOf(valueOf(property))) visit(handler, element);
        }
      }
    }
  }
  return places;
}

/**
 * The largest thing that holds this handler and nothing else: it, its group, its event or all hooks.
 *
 * A comment is somebody's words, so what has one stays. So does a container whose bracket touches what
 * is ours in it: it was there, empty, before us (`appendChild`). In a file that was reformatted since, the item's
 * own bracket touches too; then the mark says nothing, and what we emptied goes.
 */
export function largestOwn(text: string, place: HookPlace, isFlat: boolean): JsonNode {
  const { handler, group, eventProperty, hooksProperty } = place;
  const element = group ?? handler;
  const oursAsWritten = (isFlat || group !== undefined) && /\s/.test(text.charAt(element.offset + 1));
  const wasThere = (child: JsonNode) => oursAsWritten && child.parent?.offset === child.offset - 1;

  if (group !== undefined && !isAllOf(text, group, handler)) return handler;
  if (!isAllOf(text, eventProperty, element) || wasThere(element)) return element;
  if (!isAllOf(text, hooksProperty, eventProperty) || wasThere(eventProperty)) return eventProperty;
  return hooksProperty;
}

function isAllOf(text: string, outer: JsonNode, inner: JsonNode): boolean {
  if (childrenOf(inner.parent).length > 1) return false;
  return !hasComment(text, outer.offset, inner.offset) && !hasComment(text, endOf(inner), endOf(outer));
}

/** The elements of an array; nothing for anything else. */
export function elementsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.type === 'array' ? childrenOf(node) : [];
}
