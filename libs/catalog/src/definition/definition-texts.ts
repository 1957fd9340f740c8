/** One text of a definition that a reader or a model gets to see. */
export interface DefinitionText {
  /** RFC 6901 pointer into the definition. */
  readonly pointer: string;
  readonly text: string;
}

const read = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/**
 * Title, description and every text in schemas and annotations, names of members included: a model reads a default, an
 * example or the name of a property as well as a description. Without recursion.
 */
export function* definitionTexts(definition: Readonly<Record<string, unknown>>): Generator<DefinitionText> {
  const open: { pointer: string; value: unknown }[] = read
    .filter((member) => Object.hasOwn(definition, member))
    .map((member) => ({ pointer: `/${member}`, value: definition[member] }))
    .toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, value } = next;
    if (typeof value === 'string') yield { pointer, text: value };
    if (typeof value !== 'object' || value === null) continue;
    const isArray = Array.isArray(value);
    for (const [key, member] of Object.entries(value)) {
      const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!isArray) yield { pointer: at, text: key };
      open.push({ pointer: at, value: member });
    }
  }
}
