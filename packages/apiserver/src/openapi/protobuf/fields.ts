import { stringifyJson } from '@agents/kube'
import type { MessageWriter } from './message-writer.ts'

/** Writes the content of a message for a value in JSON. */
export type Encode = (writer: MessageWriter, value: unknown) => void

/** Writes a field of a message, or nothing if the value has another type than the field. */
export type Field = Encode

export function text(number: number): Field {
  return (writer, value) => {
    if (typeof value === 'string') writer.text(number, value)
  }
}

export function texts(number: number): Field {
  return repeated(text(number))
}

export function flag(number: number): Field {
  return (writer, value) => {
    if (typeof value === 'boolean') writer.flag(number, value)
  }
}

export function integer(number: number): Field {
  return (writer, value) => {
    if (typeof value === 'bigint') writer.integer(number, value)
    else if (typeof value === 'number') writer.integer(number, BigInt(Math.trunc(value)))
  }
}

export function double(number: number): Field {
  return (writer, value) => {
    if (typeof value === 'bigint' || typeof value === 'number') {
      writer.double(number, Number(value))
    }
  }
}

export function nested(number: number, encode: Encode): Field {
  return (writer, value) => writer.nested(number, () => encode(writer, value))
}

export function repeated(field: Field): Field {
  return (writer, value) => {
    if (Array.isArray(value)) for (const item of value.toReversed()) field(writer, item)
  }
}

/** Any value. The message has it as YAML, of which JSON is a subset. */
export function any(number: number): Field {
  return (writer, value) => writer.nested(number, () => writer.text(2, yamlOf(value)))
}

/** A map as a repeated message of names and values. */
export function named(number: number, value: (number: number) => Field): Field {
  const valueField = value(2)
  return (writer, map) => {
    for (const [name, item] of entriesOf(map).reverse()) writeNamed(writer, number, name, item)
  }
  function writeNamed(writer: MessageWriter, field: number, name: string, item: unknown): void {
    writer.nested(field, () => {
      valueField(writer, item)
      writer.text(1, name)
    })
  }
}

/**
 * A message with a field for each key. Keys with the prefix `x-` become vendor extensions; the format has no place for
 * other unknown keys.
 */
export function message(fields: Readonly<Record<string, Field>>, extensions: number): Encode {
  const extension = named(extensions, any)
  return (writer, value) => {
    for (const [key, part] of entriesOf(value).reverse()) {
      if (part === undefined) continue
      if (Object.hasOwn(fields, key)) fields[key]?.(writer, part)
      else if (key.startsWith('x-')) extension(writer, { [key]: part })
    }
  }
}

/** Characters that JSON may contain unescaped, but that YAML rejects or folds as line breaks. */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

function yamlOf(value: unknown): string {
  return stringifyJson(value as object).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
