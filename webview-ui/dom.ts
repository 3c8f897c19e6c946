type Attributes = Readonly<Record<string, string>>;

/** Makes an element. Text goes in as text only: what is shown is other people's. */
export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: readonly (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function button(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onClick);
  return made;
}
