import { shortPackage } from './definition-id.ts'

export interface ProtoField {
  readonly number: number
  readonly name: string
  readonly shape: 'single' | 'list' | 'map'
  /** A scalar of proto2 or the id of a message, e.g. `core.v1.Container`; for a map, the type of its values. */
  readonly type: string
}

export interface ProtoMessage {
  readonly id: string
  readonly fields: readonly ProtoField[]
}

/** Reads the messages of a `generated.proto`: flat proto2 messages without oneof, enum or nesting. */
export function parseProto(source: string): ProtoMessage[] {
  const text = source.replace(/\/\/.*$/gm, '')
  const packageName = /^package ([\w.]+);/m.exec(text)?.[1] ?? ''
  return [...text.matchAll(/^message (\w+) \{([^}]*)\}/gm)].map(([, name = '', body = '']) => ({
    id: `${shortPackage(packageName)}.${name}`,
    fields: parseFields(body, packageName),
  }))
}

function parseFields(body: string, packageName: string): ProtoField[] {
  return body
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => parseField(statement, packageName))
}

function parseField(statement: string, packageName: string): ProtoField {
  const map = /^map<string, ([\w.]+)> (\w+) = (\d+)$/.exec(statement)
  if (map !== null) {
    const [, type = '', name = '', number = ''] = map
    return { number: Number(number), name, shape: 'map', type: typeId(type, packageName) }
  }
  const field = /^(optional|required|repeated) ([\w.]+) (\w+) = (\d+)$/.exec(statement)
  if (field === null)
    throw new Error(`${packageName} has a field that is not understood: ${statement}`)
  const [, label, type = '', name = '', number = ''] = field
  const shape = label === 'repeated' ? 'list' : 'single'
  return { number: Number(number), name, shape, type: typeId(type, packageName) }
}

const scalars = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double'])

function typeId(type: string, packageName: string): string {
  if (scalars.has(type)) return type
  const fullName = type.includes('.') ? type.replace(/^\./, '') : `${packageName}.${type}`
  const dot = fullName.lastIndexOf('.')
  return `${shortPackage(fullName.slice(0, dot))}.${fullName.slice(dot + 1)}`
}
