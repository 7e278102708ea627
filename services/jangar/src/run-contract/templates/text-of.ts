/** Text as it is; every other JSON value as JSON on one line. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  // A bigint is a JSON integer too large for a number; JSON.stringify alone would throw at it.
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? rawJson(member.toString()) : member,
  )
}

const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON(text: string): unknown }
