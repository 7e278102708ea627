import { isMap, type Json, type JsonMap } from '../document/json.ts'

const parts = ['data', 'stringData'] as const

/** Two states of a Secret without its values, in which it can still be seen which values differ. As in kubectl. */
export function hideValues(
  before: JsonMap | undefined,
  after: JsonMap | undefined,
): [JsonMap | undefined, JsonMap | undefined] {
  return [hidden(before, after, ' (before)'), hidden(after, before, ' (after)')]
}

function hidden(
  own: JsonMap | undefined,
  other: JsonMap | undefined,
  mark: string,
): JsonMap | undefined {
  if (own === undefined) return undefined
  const members = Object.entries(own).map(([name, value]): [string, Json | undefined] =>
    isPart(name) ? [name, hiddenPart(value, other?.[name], mark)] : [name, value],
  )
  return Object.fromEntries(members)
}

function isPart(name: string): boolean {
  return parts.some((part) => part === name)
}

function hiddenPart(values: Json | undefined, others: Json | undefined, mark: string): Json {
  if (!isMap(values)) return '***'
  const members = Object.entries(values).map(([name, value]): [string, Json] => {
    const isOther = isMap(others) && Object.hasOwn(others, name) && others[name] !== value
    return [name, `***${isOther ? mark : ''}`]
  })
  return Object.fromEntries(members)
}

/** Removes the values of a Secret from a text, such as the answer of a webhook that quotes them. */
export function withoutValues(text: string, object: JsonMap): string {
  const values = parts
    .flatMap((part) => (isMap(object[part]) ? Object.values(object[part]) : [object[part]]))
    .filter((value) => typeof value === 'string')
  const forms = values.flatMap((value) => [value, Buffer.from(value, 'base64').toString('utf8')])
  return forms
    .filter((form) => form.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, form) => left.replaceAll(form, '***'), text)
}

/** Shorter ones are found in any text, and removing them would show where they were. */
const shortest = 4
