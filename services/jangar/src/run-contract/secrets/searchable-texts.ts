/**
 * The most text that is searched for at once, in characters: more would block the process for too long and take too
 * much memory. The spellings of a value are about 30 times as long as the value.
 */
const mostCharacters = 1536 * 1024
/** What a text costs beside its characters. */
const costPerText = 32

/** The most bytes of secrets whose spellings are worth collecting: those of more bytes always exceed the limit. */
export const mostSecretBytes = mostCharacters / 8

/** Each of the texts once. Undefined if together they exceed the limit of a search. */
export function searchableTexts(texts: Iterable<string>): string[] | undefined {
  const distinct = new Set<string>()
  let cost = 0
  for (const text of texts) {
    if (distinct.has(text)) continue
    distinct.add(text)
    cost += text.length + costPerText
    if (cost > mostCharacters) return undefined
  }
  return [...distinct]
}
