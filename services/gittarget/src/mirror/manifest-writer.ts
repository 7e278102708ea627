import type { Clock } from '@agents/controller'
import type { FileChange, KnowingChange } from '@agents/git'
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
import { describes, type PlacedManifest, removal } from './plan-snapshot.ts'
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
  /** The manifest is no longer where it was known to be: somebody moved or removed it, and it has to be looked for. */
  missed(identity: ManifestIdentity): void
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
      const from = async (current: Buffer | undefined): Promise<Buffer | null> => {
        let content: Buffer | null = current ?? null
        for (const { identity } of all) content = await this.#write(path, content, identity)
        return content
      }
      const [first, ...others] = all
      const isAlone = first !== undefined && others.length === 0
      changes.set(path, isAlone ? this.#knowing(first.identity, from) : from)
    }
    return changes
  }

  /** What the folder is known to hold, so that it need not be read before it is changed. */
  know(unchanged: ReadonlyMap<string, string>): void {
    for (const [key, oid] of unchanged) this.#own.rememberName(key, oid)
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

  #knowing(identity: ManifestIdentity, from: KnowingChange['from']): KnowingChange {
    const key = identityKey(identity)
    return {
      knows: (oid) => this.#own.isOwnName(key, oid),
      fromKnown: () => {
        const manifest = desiredNow(this.#ports.watched(), identity)
        if (manifest === undefined) {
          if (!this.#mayGo(key, identity)) return undefined
          this.#own.forget(key)
          return null
        }
        if (!manifest.operations.has(this.#ports.isLocated(key) ? 'UPDATE' : 'CREATE')) {
          return undefined
        }
        const text = writeManifest(manifest.object)
        this.#own.remember(key, text)
        return Buffer.from(text)
      },
      from,
    }
  }

  #mayGo(key: string, identity: ManifestIdentity): boolean {
    const { watched, settings, isGone } = this.#ports
    const isWanted = isGone(key) || wantsDeletion(watched(), identity)
    return settings().prune.mode !== 'Never' && isWanted
  }

  async #write(
    path: string,
    current: Buffer | null,
    identity: ManifestIdentity,
  ): Promise<Buffer | null> {
    const { watched, isLocated, missed } = this.#ports
    const key = identityKey(identity)
    const text = current?.toString('utf8')
    if (isLocated(key) && !this.#isThere(key, text, identity)) {
      missed(identity)
      return current
    }
    const manifest = desiredNow(watched(), identity)
    if (manifest === undefined) {
      this.#own.forget(key)
      const goes = current !== null && this.#mayGo(key, identity)
      return goes ? removal(identity)(current) : current
    }
    if (!manifest.operations.has(isLocated(key) ? 'UPDATE' : 'CREATE')) return current
    const next = await this.render(path, text, manifest)
    return next === text ? current : Buffer.from(next)
  }

  #isThere(key: string, text: string | undefined, identity: ManifestIdentity): boolean {
    return text !== undefined && (this.#own.isOwn(key, text) || describes(text, identity))
  }
}
