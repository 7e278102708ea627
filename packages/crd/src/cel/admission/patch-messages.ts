import { scaleRange } from '../cost/range.ts'
import { sizeOf } from '../declaration/call-cost.ts'
import { stringFactor } from '../declaration/call-estimate.ts'
import { fn, type Library } from '../declaration/declaration.ts'
import type { MessageType } from '../library/environment.ts'
import { dynType, stringType, structType, type Type } from '../type/type.ts'
import { equal } from '../value/equality.ts'
import { CelError, isOpaque, noSuchOverload, type OpaqueKind, type Value } from '../value/value.ts'

/** The type of an apply configuration. Nested objects have the types `Object.spec`, `Object.spec.template` … */
export const objectType = structType('Object')
/** The type of one operation of a JSON patch. */
export const jsonPatchType = structType('JSONPatch')

/** The value of `Object{…}`: the fields that are set. */
export interface ObjectContent {
  readonly typeName: string
  readonly fields: ReadonlyMap<string, Value>
}

/** The value of `JSONPatch{…}`. Unset texts are empty. */
interface JsonPatchContent {
  readonly op: string
  readonly path: string
  readonly from: string
  readonly value: Value | undefined
}

/** The message type of a name that only expressions of mutations can construct. */
export function patchMessage(name: string): MessageType | undefined {
  if (name === jsonPatchType.name) return jsonPatch
  return name === objectType.name || name.startsWith(`${objectType.name}.`)
    ? objectMessage(name)
    : undefined
}

/** The function that only expressions of mutations can call. */
export const patchLibrary: Library = [
  [
    'jsonpatch.escapeKey',
    [
      fn(
        'string_jsonpatch_escapeKey_string',
        [stringType],
        stringType,
        ([key]) =>
          typeof key === 'string'
            ? key.replaceAll('~', '~0').replaceAll('/', '~1')
            : noSuchOverload,
        {
          cost: ([key]) => Math.ceil(sizeOf(key) * stringFactor),
          estimate: ({ args: [key], sizeOf: bound }) => {
            if (key === undefined) return undefined
            return { cost: scaleRange(bound(key), stringFactor), size: bound(key) }
          },
        },
      ),
    ],
  ],
]

export function objectContent(value: Value): ObjectContent | undefined {
  const fits = isOpaque(value) && value.type instanceof ObjectKind
  return fits ? (value.content as ObjectContent) : undefined
}

export function jsonPatchContent(value: Value): JsonPatchContent | undefined {
  const fits = isOpaque(value) && value.type === jsonPatchKind
  return fits ? (value.content as JsonPatchContent) : undefined
}

class ObjectKind implements OpaqueKind {
  readonly comparable = true
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
  equal(left: unknown, right: unknown): boolean {
    return sameFields((left as ObjectContent).fields, (right as ObjectContent).fields)
  }
  field(content: unknown, name: string): Value | undefined {
    return (content as ObjectContent).fields.get(name)
  }
}

/** The message type of an object. Without a schema, every field name and every value is allowed. */
function objectMessage(name: string): MessageType {
  const type = structType(name)
  const kind = new ObjectKind(name)
  return {
    type,
    fieldType: () => dynType,
    create: (fields) => ({ kind: 'opaque', type: kind, content: { typeName: name, fields } }),
  }
}

function sameFields(left: ReadonlyMap<string, Value>, right: ReadonlyMap<string, Value>): boolean {
  if (left.size !== right.size) return false
  for (const [name, value] of left) {
    const other = right.get(name)
    if (other === undefined || equal(value, other) !== true) return false
  }
  return true
}

const jsonPatchFields = new Map<string, Type>([
  ['op', stringType],
  ['from', stringType],
  ['path', stringType],
  ['value', dynType],
])

/** The type of every other field: upstream uses a type without a name, which only dynamic values match. */
const undeclaredType = structType('')

const jsonPatch: MessageType = {
  type: jsonPatchType,
  fieldType: (name) => jsonPatchFields.get(name) ?? undeclaredType,
  create: (fields) => {
    for (const name of fields.keys()) {
      if (!jsonPatchFields.has(name)) return new CelError(`unexpected JSONPatchType field: ${name}`)
    }
    const texts = { op: '', path: '', from: '' }
    for (const name of ['op', 'path', 'from'] as const) {
      const text = fields.get(name)
      if (text === undefined) continue
      if (typeof text !== 'string') {
        return new CelError(`unexpected type for JSONPatchType '${name}' field`)
      }
      texts[name] = text
    }
    const content: JsonPatchContent = { ...texts, value: fields.get('value') }
    return { kind: 'opaque', type: jsonPatchKind, content }
  },
}

const jsonPatchKind: OpaqueKind = {
  name: jsonPatchType.name,
  comparable: true,
  equal: (left, right) => {
    const [a, b] = [left as JsonPatchContent, right as JsonPatchContent]
    if (a.op !== b.op || a.path !== b.path || a.from !== b.from) return false
    if (a.value === undefined || b.value === undefined) return a.value === b.value
    return equal(a.value, b.value) === true
  },
  field: (content, name) => {
    const operation = content as JsonPatchContent
    switch (name) {
      case 'op':
      case 'path':
      case 'from':
        return operation[name]
      case 'value':
        return operation.value
      default:
        return undefined
    }
  },
}
