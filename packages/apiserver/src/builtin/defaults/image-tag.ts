/** Reports whether an image has the tag `latest`, explicitly or because it has neither tag nor digest. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = image.split('@')
  const tag = name.slice(name.lastIndexOf('/') + 1).split(':')[1]
  if (tag === 'latest') return 'Always'
  // An invalid image name has no tag, not even the implied one.
  const wellFormed =
    /^[\w.:/-]+$/.test(name) && !/[A-Z]/.test(name.slice(name.indexOf('/') + 1).split(':')[0] ?? '')
  return tag === undefined && digest === undefined && name !== '' && wellFormed
    ? 'Always'
    : 'IfNotPresent'
}
