/** One folder for all objects, or as in a cluster: 100 per namespace, and so per folder. */
export type Shape = 'flat' | 'spread'

export const benchNamespace = 'bench'

export function namespaceOf(shape: Shape, index: number): string {
  return shape === 'flat' ? benchNamespace : `${benchNamespace}-${Math.floor(index / 100)}`
}

export function pathOf(shape: Shape, index: number): string {
  return `cluster/${namespaceOf(shape, index)}/core/configmaps/c-${index}.yaml`
}
