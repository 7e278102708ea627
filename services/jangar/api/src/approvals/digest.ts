import { string } from '@agents/crd'

/** The digest of what is to be approved. */
export function approvalDigest(description: string) {
  return string(description, { pattern: '^[0-9a-f]{64}$' })
}
