export interface GoField {
  /** The name in JSON; empty when the field's own fields are inlined. */
  readonly jsonName: string
  readonly inline: boolean
  readonly pointer: boolean
  readonly omitEmpty: boolean
  /** Like `omitEmpty`, but also for structs. */
  readonly omitZero: boolean
  /** The type as written, without the star of a pointer: `[]Container`, `metav1.Time`. */
  readonly type: string
}

/** Struct name → protobuf field number → how Go writes that field as JSON. */
export type GoStructs = ReadonlyMap<string, ReadonlyMap<number, GoField>>

/** Reads the struct tags of API types; only fields with a protobuf tag count. */
export function parseGoStructs(sources: readonly string[]): GoStructs {
  const structs = new Map<string, Map<number, GoField>>()
  for (const source of sources) {
    for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
      structs.set(name, parseStruct(body))
    }
  }
  return structs
}

function parseStruct(body: string): Map<number, GoField> {
  const fields = new Map<number, GoField>()
  for (const line of body.split('\n')) {
    const field = /^\t(?!\/\/)(?:\w+\s+)?(\S+)\s+`(.*)`/.exec(line)
    if (field === null) continue
    const [, type = '', tags = ''] = field
    const number = /protobuf:"\w+,(\d+),/.exec(tags)?.[1]
    const json = /json:"([^"]*)"/.exec(tags)?.[1]
    if (number === undefined || json === undefined) continue
    const [jsonName = '', ...options] = json.split(',')
    fields.set(Number(number), {
      jsonName,
      inline: options.includes('inline'),
      pointer: type.startsWith('*'),
      omitEmpty: options.includes('omitempty') || options.includes('omitzero'),
      omitZero: options.includes('omitzero'),
      type: type.replace(/^\*/, ''),
    })
  }
  return fields
}
