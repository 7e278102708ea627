/** One folder for all, or as the objects of a cluster are: 100 to a namespace, and so to a folder. */
export type Shape = 'flat' | 'spread'

export const NAMESPACE = 'bench'

export const namespaceOf = (shape: Shape, index: number): string =>
  shape === 'flat' ? NAMESPACE : `${NAMESPACE}-${Math.floor(index / 100)}`

export const pathOf = (shape: Shape, index: number): string =>
  `cluster/${namespaceOf(shape, index)}/core/configmaps/c-${index}.yaml`
