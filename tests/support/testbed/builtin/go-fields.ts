import type { CompactDefinition, CompactSchemas } from './compact-schema.ts'
import type { GoField, GoStructs } from './go-structs.ts'
import type { ProtoPackage } from './protobuf-fields.ts'

/**
 * Definition id → JSON name → what the schema does not reveal about the Go field; described in dump-builtin-schemas.ts.
 */
type GoFieldTable = Readonly<Record<string, Readonly<Record<string, string>>>>

export function goFieldTable(
  packages: readonly ProtoPackage[],
  { definitions }: CompactSchemas,
): GoFieldTable {
  const structs = new Map<string, { readonly structs: GoStructs; readonly name: string }>()
  for (const { messages, structs: own } of packages) {
    for (const { id } of messages) {
      structs.set(id, { structs: own, name: id.slice(id.lastIndexOf('.') + 1) })
    }
  }
  const rows = Object.entries(definitions).flatMap(([id, definition]) => {
    const found = structs.get(id)
    if (found === undefined || definition.props === undefined) return []
    const fields = structRows(found.structs, found.name, packageOf(id), '', definition)
    return Object.keys(fields).length > 0 ? [[id, fields] as const] : []
  })
  return Object.fromEntries(rows)
}

function structRows(
  structs: GoStructs,
  name: string,
  goPackage: string,
  embedded: string,
  definition: CompactDefinition,
): Record<string, string> {
  const rows: Record<string, string> = {}
  for (const field of structs.get(name)?.values() ?? []) {
    if (field.inline) {
      const inner = field.type.slice(field.type.lastIndexOf('.') + 1)
      const path = embedded === '' ? inner : `${embedded}.${inner}`
      Object.assign(rows, structRows(structs, inner, goPackage, path, definition))
      continue
    }
    const property = definition.props?.[field.jsonName]
    if (property === undefined) continue
    const text = typeof property === 'string' ? property : property[0]
    const type = qualifiedType(field.type, goPackage)
    const shown = type === derivedType(text) ? '' : type
    const row = `${presence(field, text)}${shown}${embedded === '' ? '' : `@${embedded}`}`
    if (row !== '') rows[field.jsonName] = row
  }
  return rows
}

/**
 * `!`: written even when zero; `?`: a pointer that is written as null; `*`: a pointer to a scalar, omitted when nil.
 */
function presence(field: GoField, type: string): string {
  if (field.pointer) return field.omitEmpty ? (/^\w+=?$/.test(type) ? '*' : '') : '?'
  if (!field.omitEmpty) return '!'
  const struct = /^[^[{]*\.[^.]*$/.test(type) && !/^(\[\]|map\[)/.test(field.type)
  return struct && !field.omitZero ? '!' : ''
}

function packageOf(id: string): string {
  return id.split('.').at(-2) ?? ''
}

/** The type as Go's reflection prints it. */
function qualifiedType(type: string, goPackage: string): string {
  return type
    .replaceAll(/\b\w+v1\./g, 'v1.')
    .replaceAll(/(?<![\w.])([A-Z]\w*)/g, `${goPackage}.$1`)
    .replaceAll('[]byte', '[]uint8')
}

/** The most common Go type for a type of the table. */
function derivedType(text: string): string {
  const list = /^\[[^\]]*\](.*)$/.exec(text)
  if (list !== null) return `[]${derivedType(list[1] ?? '')}`
  const map = /^\{[^}]*\}(.*)$/.exec(text)
  if (map !== null) return `map[string]${derivedType(map[1] ?? '')}`
  const name = text.replace(/=$/, '')
  if (name.includes('.')) return name.split('.').slice(-2).join('.')
  return scalarTypes[name] ?? name
}

const scalarTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  byte: '[]uint8',
  double: 'float64',
  number: 'float64',
}
