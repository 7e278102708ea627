import { type KindSchema, schemaAt, typeText } from './schema.ts'
import { fieldAt, item, type PathStep, placeAt } from './yaml-place.ts'

export interface Suggestion {
  readonly label: string
  /** What is written instead of what is typed. */
  readonly insert: string
  /** `text, required` */
  readonly detail: string
  readonly description: string
}

export interface Completion {
  /** What is replaced, up to the position. */
  readonly from: number
  readonly suggestions: readonly Suggestion[]
}

const none: readonly Suggestion[] = []

/** What can be written at the position. */
export function completionAt(text: string, position: number, schema: KindSchema): Completion {
  const place = placeAt(text, position)
  if (place === undefined) return { from: position, suggestions: none }
  const { path, part, typed, from, column, siblings } = place
  const found = schemaAt(schema, path)
  if (found === undefined) return { from, suggestions: none }
  const all =
    part === 'value'
      ? valuesOf(found)
      : keysOf(found, column).filter(({ label }) => !siblings.has(label))
  const wanted = typed.toLowerCase()
  const starting = all.filter(({ label }) => label.toLowerCase().startsWith(wanted))
  const containing = all.filter(
    ({ label }) => !label.toLowerCase().startsWith(wanted) && label.toLowerCase().includes(wanted),
  )
  return { from, suggestions: [...starting, ...(wanted === '' ? [] : containing)] }
}

function keysOf(schema: KindSchema, column: number): readonly Suggestion[] {
  if (schema.type === 'array') {
    const description = schema.items?.description ?? ''
    return [{ label: '- ', insert: '- ', detail: 'an item', description }]
  }
  const { properties = {}, required = [] } = schema
  return Object.entries(properties)
    .map(([label, field]) => ({
      ...{ label, insert: `${label}:${startOf(field, column)}` },
      detail: required.includes(label) ? `${typeText(field)}, required` : typeText(field),
      description: field.description ?? '',
      isRequired: required.includes(label),
    }))
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .map(({ isRequired: _isRequired, ...suggestion }) => suggestion)
}

/** What follows a field: its value, or the line where its fields or items begin. */
function startOf({ type, properties, additionalProperties }: KindSchema, column: number): string {
  const below = `\n${' '.repeat(column + 2)}`
  if (type === 'array') return `${below}- `
  return properties !== undefined || typeof additionalProperties === 'object' ? below : ' '
}

function valuesOf(schema: KindSchema): readonly Suggestion[] {
  const { type, enum: values = type === 'boolean' ? [true, false] : [], description = '' } = schema
  return values.map((value) => ({
    label: String(value),
    // A text that YAML would read as something else needs quotes.
    insert:
      type === 'string' && /^(true|false|null|~|[\d.+-].*)?$/i.test(String(value))
        ? JSON.stringify(value)
        : String(value),
    detail: schema.default === value ? 'default' : '',
    description,
  }))
}

export interface FieldHelp {
  /** `spec.steps[].name` */
  readonly path: string
  readonly type: string
  readonly description: string
}

/** What the field on the line of the position means. */
export function helpAt(text: string, position: number, schema: KindSchema): FieldHelp | undefined {
  const path = fieldAt(text, position)
  const found = path && schemaAt(schema, path)
  if (path === undefined || found === undefined) return undefined
  return { path: pathText(path), type: typeText(found), description: found.description ?? '' }
}

function pathText(path: readonly PathStep[]): string {
  return path.reduce<string>((text, step) => {
    if (step === item) return `${text}[]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}
