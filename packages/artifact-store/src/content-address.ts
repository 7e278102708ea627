import { StoreError } from './store-error.ts'

/** Where content is: the namespace that it belongs to, and the SHA-256 of its bytes in lower-case hex. */
export interface ContentAddress {
  readonly namespace: string
  readonly digest: string
}

const namespaceForm = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const digestForm = /^[0-9a-f]{64}$/

/**
 * The address as a path of two names, which the patterns keep from being anything else. Equal content of two namespaces
 * is stored twice: whoever knows a digest of another tenant gains nothing by it, not even whether it exists.
 */
export function pathOf({ namespace, digest }: ContentAddress): string {
  if (!namespaceForm.test(namespace)) {
    throw new StoreError('InvalidAddress', 'the namespace of the content is not a DNS label')
  }
  if (!digestForm.test(digest)) {
    throw new StoreError('InvalidAddress', 'the digest of the content is not a SHA-256 in hex')
  }
  return `${namespace}/${digest}`
}

/** The address that a path names; undefined for files and objects of others. */
export function addressAt(path: string): ContentAddress | undefined {
  const [namespace = '', digest = '', ...rest] = path.split('/')
  if (rest.length > 0 || !namespaceForm.test(namespace) || !digestForm.test(digest)) {
    return undefined
  }
  return { namespace, digest }
}
