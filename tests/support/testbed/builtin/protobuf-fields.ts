import type { GoField, GoStructs } from './go-structs.ts'
import type { ProtoField, ProtoMessage } from './proto-source.ts'

/** One field in `protobuf-fields.json`; described in dump-builtin-schemas.ts. */
type ProtobufFieldRow =
  | readonly [jsonName: string, type: string]
  | readonly [jsonName: string, type: string, mark: 'inline' | 'omit']

export interface ProtobufTable {
  readonly special: Readonly<Record<string, string>>
  readonly messages: Readonly<Record<string, Readonly<Record<string, ProtobufFieldRow>>>>
}

export interface ProtoPackage {
  readonly messages: readonly ProtoMessage[]
  readonly structs: GoStructs
}

/** The table of all messages that can be reached from `roots`. */
export function protobufTable(
  packages: readonly ProtoPackage[],
  roots: readonly string[],
): ProtobufTable {
  const known = new Map<string, () => Readonly<Record<string, ProtobufFieldRow>>>()
  for (const { messages, structs } of packages) {
    for (const message of messages) {
      known.set(message.id, () => messageRows(message, structs))
    }
  }
  const reached = new Map<string, Readonly<Record<string, ProtobufFieldRow>>>()
  const visit = (id: string): void => {
    if (reached.has(id)) return
    const rows = known.get(id)?.()
    if (rows === undefined) throw new Error(`no protobuf message ${id}`)
    reached.set(id, rows)
    for (const [, type] of Object.values(rows)) {
      const element = type.replace(/^(\[\]|\{\})/, '')
      if (element.includes('.')) visit(element)
    }
  }
  for (const root of roots) visit(root)
  return {
    special: Object.fromEntries(Object.entries(specialMessages).filter(([id]) => reached.has(id))),
    messages: Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** Messages whose JSON is not an object of their fields. The names are explained in dump-builtin-schemas.ts. */
const specialMessages: Readonly<Record<string, string>> = {
  'apiextensions.v1.JSON': 'raw',
  'apiextensions.v1.JSONSchemaPropsOrArray': 'either',
  'apiextensions.v1.JSONSchemaPropsOrBool': 'either',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': 'either',
  'authentication.v1.ExtraValue': 'items',
  'authorization.v1.ExtraValue': 'items',
  'certificates.v1.ExtraValue': 'items',
  'intstr.IntOrString': 'int-or-string',
  'meta.v1.FieldsV1': 'raw',
  'meta.v1.MicroTime': 'micro-time',
  'meta.v1.Time': 'time',
  'resource.Quantity': 'string',
  'runtime.RawExtension': 'raw',
}

function messageRows(
  message: ProtoMessage,
  structs: GoStructs,
): Readonly<Record<string, ProtobufFieldRow>> {
  const struct = structs.get(message.id.slice(message.id.lastIndexOf('.') + 1))
  const special = message.id in specialMessages
  const rows: Record<string, ProtobufFieldRow> = {}
  for (const field of message.fields) {
    const go = struct?.get(field.number)
    // Only numbers and types matter in a special message: its fields have no names in JSON.
    if (special) rows[field.number] = [field.name, typeText(field)]
    else if (go !== undefined) rows[field.number] = fieldRow(field, go)
    else throw new Error(`${message.id}.${field.name} is not found among the Go types`)
  }
  return rows
}

function fieldRow(field: ProtoField, go: GoField): ProtobufFieldRow {
  const type = typeText(field)
  if (go.inline) return ['', type, 'inline']
  const scalar = field.shape === 'single' && !field.type.includes('.')
  return scalar && go.omitEmpty && !go.pointer ? [go.jsonName, type, 'omit'] : [go.jsonName, type]
}

function typeText({ shape, type }: ProtoField): string {
  return `${{ single: '', list: '[]', map: '{}' }[shape]}${type}`
}
