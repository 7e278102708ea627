import type { Clock } from '@agents/controller'
import type { FileChange } from '@agents/git'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import { writeManifest } from '../document/write-manifest.ts'
import {
  type DesiredManifest,
  desiredNow,
  type WatchedType,
  wantsDeletion,
} from './desired-state.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import { OwnTexts } from './own-texts.ts'
import { type PlacedManifest, removal } from './plan-snapshot.ts'
import { renderFile } from './render-file.ts'

export interface ManifestWriterPorts {
  readonly clock: Pick<Clock, 'now'>
  /** All of the moment when they are asked. */
  watched(): readonly WatchedType[]
  settings(): Pick<MirrorSettings, 'encryption' | 'prune'>
  /** Whether the manifest is known to be in the folder. */
  isLocated(key: string): boolean
  /** Whether the object was seen to go while a rule wanted to know. */
  isGone(key: string): boolean
}

/** Makes of each file what it shall be at the moment when the commit is made. */
export class ManifestWriter {
  readonly #ports: ManifestWriterPorts
  readonly #own = new OwnTexts()

  constructor(ports: ManifestWriterPorts) {
    this.#ports = ports
  }

  /** Asked when the commit is made, and again whenever it has to be made anew: each writes what is so by then. */
  changes(placed: readonly PlacedManifest[]): Map<string, FileChange> {
    const byPath = Map.groupBy(placed, ({ path }) => path)
    const changes = new Map<string, FileChange>()
    for (const [path, all] of byPath) {
      changes.set(path, async (current) => {
        let content: Buffer | null = current ?? null
        for (const { identity } of all) content = await this.#write(path, content, identity)
        return content
      })
    }
    return changes
  }

  async render(
    path: string,
    current: string | undefined,
    manifest: DesiredManifest,
  ): Promise<string> {
    const { encryption } = this.#ports.settings()
    const now = this.#ports.clock.now()
    if (manifest.isSecret) return renderFile(current, manifest, { path, encryption, now })
    const key = identityKey(manifest.identity)
    const canonical = writeManifest(manifest.object)
    const isOurs = current === undefined || this.#own.isOwn(key, current)
    const text = isOurs ? canonical : await renderFile(current, manifest, { path, encryption, now })
    if (text === canonical) this.#own.remember(key, text)
    return text
  }

  async #write(
    path: string,
    current: Buffer | null,
    identity: ManifestIdentity,
  ): Promise<Buffer | null> {
    const { watched, settings, isLocated, isGone } = this.#ports
    const key = identityKey(identity)
    const manifest = desiredNow(watched(), identity)
    if (manifest === undefined) {
      this.#own.forget(key)
      const isWanted = isGone(key) || wantsDeletion(watched(), identity)
      const mayGo = settings().prune.mode !== 'Never' && isWanted
      return mayGo && current !== null ? removal(identity)(current) : current
    }
    const text = current?.toString('utf8')
    const isThere = text !== undefined && isLocated(key)
    if (!manifest.operations.has(isThere ? 'UPDATE' : 'CREATE')) return current
    const next = await this.render(path, text, manifest)
    return next === text ? current : Buffer.from(next)
  }
}
