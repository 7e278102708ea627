import { encryptDocument } from '@agents/git'
import { changeFile, findManifest } from '../../document/change-file.ts'
import type { ManifestIdentity } from '../../document/identity.ts'
import { readManifests } from '../../document/read-manifests.ts'
import { writeManifest } from '../../document/write-manifest.ts'
import type { DesiredManifest } from './desired-state.ts'

/** Keys for encrypting Secrets. */
export interface MirrorEncryption {
  readonly recipients: readonly string[]
  /** For recognizing unchanged Secrets. May be empty. */
  readonly identities: readonly string[]
  readonly fingerprintKey: Buffer
}

/** The path of a Secret is used by a file with other objects, and a Secret cannot share a file. */
class PathTaken extends Error {
  override name = 'PathTaken'
}

/** A plain Secret is in a JSON file, and encrypted files are YAML. */
class JsonSecret extends Error {
  override name = 'JsonSecret'
}

/** The file cannot be edited, only replaced, and a person put it where it is. */
class NotEditable extends Error {
  override name = 'NotEditable'
}

interface RenderOptions {
  /** From the root of the repository. */
  readonly path: string
  /** Whether the manifest has no namespace because its place in the repository implies it. */
  readonly impliesNamespace: boolean
  readonly encryption: MirrorEncryption | undefined
  readonly now: Date
}

/** The new text of the file of a manifest. The same text if it is up to date. */
export async function renderFile(
  current: string | undefined,
  manifest: DesiredManifest,
  { path, impliesNamespace, encryption, now }: RenderOptions,
): Promise<string> {
  const { identity, object } = manifest
  if (!manifest.isSecret) {
    const { text, isRewritten } = changeFile(current, { identity, object, impliesNamespace })
    if (isRewritten && !`/${path}`.endsWith(`/${manifest.path}`)) {
      throw new NotEditable('the manifest at this path cannot be edited in place')
    }
    return text ?? ''
  }
  if (encryption === undefined) throw new TypeError('a Secret cannot be written without encryption')
  if (current !== undefined && !holdsOnly(current, identity, impliesNamespace)) {
    throw new PathTaken('the file at this path contains other objects than this Secret')
  }
  if (path.endsWith('.json')) throw new JsonSecret('encrypted files are YAML')
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

export function isFingerprinted(text: string): boolean {
  return text.startsWith('# fingerprint: ')
}

function holdsOnly(text: string, identity: ManifestIdentity, impliesNamespace: boolean): boolean {
  if (isFingerprinted(text) || text.trim() === '') return true
  const documents = readManifests(text)?.documents ?? []
  return documents.every(({ manifests }) => {
    const found = findManifest(manifests, identity, impliesNamespace)
    return manifests.length === 1 && found !== undefined && found.item === undefined
  })
}
