/**
 * The short name of a Go or OpenAPI package: `io.k8s.api.core.v1` is `core.v1`, and a package without a version is its
 * last word, e.g. `resource` or `intstr`. A definition's id is that and its type name: `core.v1.Pod`,
 * `resource.Quantity`.
 */
export function shortPackage(packageName: string): string {
  const words = packageName.split('.')
  const versioned = /^v\d/.test(words.at(-1) ?? '')
  return words.slice(versioned ? -2 : -1).join('.')
}

export function definitionId(fullName: string): string {
  const dot = fullName.lastIndexOf('.')
  return `${shortPackage(fullName.slice(0, dot))}.${fullName.slice(dot + 1)}`
}
