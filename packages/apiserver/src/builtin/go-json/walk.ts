/** Position of the decoder, for error messages and the paths of unknown fields. */
export interface Walk {
  /** JSON path: `spec`, `containers`, 0. */
  readonly path: (string | number)[]
  /** Go's field stack: JSON names and embedded structs, without indexes and map keys. */
  readonly stack: string[]
  /** Name of the innermost Go struct. */
  struct: string
  readonly unknown: string[]
}

export function startWalk(struct: string): Walk {
  return { path: [], stack: [], struct, unknown: [] }
}

/** Formats a path: `spec.containers[0].image`. Map keys are joined with a dot as well. */
export function pathText(path: readonly (string | number)[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}

/** The error of Go's JSON decoder. `withNumber`: the number does not fit the type. */
export function wrongType(
  value: unknown,
  walk: Walk,
  goType: string,
  withNumber = false,
): TypeError {
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const found = isNumber && withNumber ? `number ${value}` : jsonTypeName(value)
  return new TypeError(
    `json: cannot unmarshal ${found} into Go struct field ${walk.struct}.${walk.stack.join('.')} of type ${goType}`,
  )
}

function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'number'
  return typeof value
}
