/** The start of an event whose object has no fields before its metadata but these two. */
const upToMetadata =
  /^\{"type":"[A-Z]+","object":\{(?:"(?:apiVersion|kind)":"[^"\\]*",)*"metadata":\{/
const start = '"managedFields":['
const version = '"resourceVersion":"'
const nextField = /\]\}?,"[a-z]/g

/**
 * Removes the managedFields of the object from the text of an event: they are often half of it, and to find where they
 * end is much faster than to parse them. Texts in which they are not where servers write them are returned unchanged.
 *
 * None of the searched texts can be inside of a string, where quotes are escaped; nor across its end, which no letter
 * follows. The first resourceVersion is that of the metadata, which every stored object has: the list belongs to the
 * metadata if it precedes or directly follows it. It contains no other list, so the first one that ends is its own.
 */
export function cutManagedFields(text: string): string {
  const before = upToMetadata.exec(text)?.[0].length
  if (before === undefined) return text
  const from = text.indexOf(start, before)
  const versionAt = text.indexOf(version, before)
  if (from === -1 || versionAt === -1) return text
  if (versionAt < from && endOfText(text, versionAt + version.length) !== from - 1) return text
  nextField.lastIndex = from
  const ended = nextField.exec(text)
  if (ended === null) return text
  const rest = ended.index + 1
  // Of the two commas around the list, one is left over.
  return text[rest] === ','
    ? text.slice(0, from) + text.slice(rest + 1)
    : text.slice(0, from - 1) + text.slice(rest)
}

/** After the quote that ends a string without escapes. */
function endOfText(text: string, inside: number): number {
  return text.indexOf('"', inside) + 1
}
