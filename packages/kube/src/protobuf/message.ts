import { WireReader } from './wire-reader.ts'

/** Reads one value of a field. Undefined means that JSON would omit the field. */
export type FieldType = (reader: WireReader) => unknown

/** How one field of a message appears in the object. */
interface Field {
  readonly name: string
  readonly read: FieldType
  readonly form: 'single' | 'list' | 'map' | 'inline'
}

/**
 * The fields of a message that are read, by number. All others are skipped, which is what makes it cheap to read a few
 * fields of a large message.
 */
export type Message = readonly (Field | undefined)[]

type FieldDeclaration = FieldType | { readonly read: FieldType; readonly form: Field['form'] }

/** `message({ name: [1, text], labels: [11, mapOf(text)] })` */
export function message(
  fields: Readonly<Record<string, readonly [number: number, type: FieldDeclaration]>>,
): Message {
  const byNumber: (Field | undefined)[] = []
  for (const [name, [number, type]] of Object.entries(fields)) {
    byNumber[number] =
      typeof type === 'function' ? { name, read: type, form: 'single' } : { name, ...type }
  }
  return byNumber
}

/** A repeated field. An empty list is absent, as in JSON. */
export function listOf(type: FieldType): FieldDeclaration {
  return { read: type, form: 'list' }
}

/** A map whose keys are strings. An empty map is absent. */
export function mapOf(type: FieldType): FieldDeclaration {
  return { read: (reader) => mapEntry(reader, type), form: 'map' }
}

/** A message whose fields JSON shows among those of the message that contains it. */
export function inline(fields: Message): FieldDeclaration {
  return { read: nested(fields), form: 'inline' }
}

/** A message within a message. */
export function nested(fields: Message): FieldType {
  return (reader) => readFields(reader, reader.lengthDelimitedEnd(), fields)
}

/** A string that JSON omits if it is empty, as most are. */
export function text(reader: WireReader): string | undefined {
  return reader.string() || undefined
}

/** A string that JSON always has. */
export function anyText(reader: WireReader): string {
  return reader.string()
}

/** A number that JSON omits if it is 0. */
export function nonZero(reader: WireReader): number | bigint | undefined {
  return reader.integer() || undefined
}

export function integer(reader: WireReader): number | bigint {
  return reader.integer()
}

export function boolean(reader: WireReader): boolean {
  return reader.boolean()
}

/** The empty string for any value, for those who need only the keys of a map. */
export function blank(reader: WireReader): string {
  reader.skip()
  return ''
}

/** JSON has no fractions of seconds. */
const readTime = nested(message({ seconds: [1, integer] }))

/** A point in time, in the form of JSON: `2026-01-02T03:04:05Z`. Absent if it is not set. */
export function time(reader: WireReader): string | undefined {
  const { seconds } = readTime(reader) as { readonly seconds?: number | bigint }
  if (seconds === undefined) return undefined
  const date = new Date(Number(seconds) * 1000)
  if (Number.isNaN(date.getTime())) throw new RangeError('a time is out of range')
  return `${date.toISOString().slice(0, -'.000Z'.length)}Z`
}

/** Decodes the fields of a message. Throws RangeError if it is invalid. */
export function decodeMessage(bytes: Buffer, fields: Message): Record<string, unknown> {
  const reader = new WireReader(bytes)
  return readFields(reader, bytes.length, fields)
}

function readFields(reader: WireReader, end: number, fields: Message): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  while (reader.position < end) {
    const field = fields[reader.fieldNumber()]
    if (field === undefined) reader.skip()
    else take(object, field, field.read(reader))
  }
  if (reader.position > end) throw new RangeError('a field is longer than its message')
  return object
}

function take(object: Record<string, unknown>, { name, form }: Field, value: unknown): void {
  switch (form) {
    case 'single':
      if (value !== undefined) object[name] = value
      return
    case 'list': {
      const list = object[name] as unknown[] | undefined
      if (list === undefined) object[name] = [value]
      else list.push(value)
      return
    }
    case 'map': {
      const [key, one] = value as readonly [string, unknown]
      object[name] ??= {}
      setOwn(object[name] as Record<string, unknown>, key, one)
      return
    }
    case 'inline':
      Object.assign(object, value)
  }
}

function mapEntry(reader: WireReader, type: FieldType): readonly [string, unknown] {
  const end = reader.lengthDelimitedEnd()
  let key = ''
  let value: unknown = ''
  while (reader.position < end) {
    const number = reader.fieldNumber()
    if (number === 1) key = reader.string()
    else if (number === 2) value = type(reader)
    else reader.skip()
  }
  if (reader.position > end) throw new RangeError('a field is longer than its message')
  return [key, value]
}

/** Keys come from users: an assignment to `__proto__` would change the object instead of adding a key. */
function setOwn(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') map[key] = value
  else Object.defineProperty(map, key, { value, ...ordinary })
}

const ordinary = { enumerable: true, configurable: true, writable: true } as const
