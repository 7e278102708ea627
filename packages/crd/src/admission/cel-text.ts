/** A string as a CEL literal. */
export function celString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

export function celList(texts: readonly string[]): string {
  return `[${texts.map(celString).join(', ')}]`
}

/**
 * An expression for whether `object.spec.a.b` exists. It tests each part of the path, because `has` tests only the
 * last.
 */
export function celHas(root: string, path: string): string {
  const parts = path.split('.')
  return parts.map((_, end) => `has(${[root, ...parts.slice(0, end + 1)].join('.')})`).join(' && ')
}

/** An expression for whether an update changes, adds or removes the field. */
function celChanged(path: string): string {
  const [before, after] = [celHas('oldObject', path), celHas('object', path)]
  return `(${after}) != (${before}) || (${after}) && (${before}) && object.${path} != oldObject.${path}`
}

/** An expression for whether the request creates the object or changes one of the fields. */
export function celDecides(paths: readonly string[]): string {
  return ["request.operation == 'CREATE'", ...paths.map((path) => `(${celChanged(path)})`)].join(
    ' || ',
  )
}
