type MetadataField = 'labels' | 'annotations' | 'ownerReferences'

/**
 * An expression for whether an object has a field of its metadata. `has` is true for null, which kube-apiserver keeps
 * until a custom resource that somebody applies is stored, as in a manifest with an empty `labels:`.
 */
export function hasMetadata(object: string, field: MetadataField): string {
  const value = `${object}.metadata.${field}`
  return `(has(${value}) && dyn(${value}) != null)`
}
