import { encryptDocument } from '@agents/git'
import { changeFile } from '../document/change-file.ts'
import { identityKey } from '../document/identity.ts'
import { isManifest, readManifests } from '../document/read-manifests.ts'
import { writeManifest } from '../document/write-manifest.ts'
import type { DesiredManifest } from './desired-state.ts'

/** What Secrets are encrypted with. */
export interface MirrorEncryption {
  readonly recipients: readonly string[]
  /** To recognise what did not change; there may be none. */
  readonly identities: readonly string[]
  readonly fingerprintKey: Buffer
}

/** Somebody else's file is where a Secret has to go, which cannot share a file. */
export class PathTaken extends Error {
  override name = 'PathTaken'
}

export interface RenderOptions {
  /** From the root of the repository. */
  readonly path: string
  readonly encryption: MirrorEncryption | undefined
  readonly now: Date
}

/** The new text of a file that holds, or shall hold, the manifest. The same text when it says so already. */
export const renderFile = async (
  current: string | undefined,
  manifest: DesiredManifest,
  { path, encryption, now }: RenderOptions,
): Promise<string> => {
  const { identity, object } = manifest
  if (!manifest.isSecret) return changeFile(current, { identity, object }) ?? ''
  if (encryption === undefined) throw new TypeError('a Secret is never written in the clear')
  if (current !== undefined && !holdsOnly(current, identityKey(identity))) {
    throw new PathTaken('the file at this path is no Secret of the mirror')
  }
  const { recipients, identities, fingerprintKey } = encryption
  return encryptDocument({
    plaintext: writeManifest(object),
    recipients,
    identities,
    fingerprint: { key: fingerprintKey, path },
    previous: current,
    now,
  })
}

export const isFingerprinted = (text: string): boolean => text.startsWith('# fingerprint: ')

const holdsOnly = (text: string, key: string): boolean => {
  if (isFingerprinted(text) || text.trim() === '') return true
  const documents = readManifests(text)?.documents ?? []
  return documents.every(
    (document) => isManifest(document) && identityKey(document.identity) === key,
  )
}
