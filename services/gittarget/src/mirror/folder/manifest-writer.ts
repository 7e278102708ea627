import type { Clock } from '@agents/controller'
import type { FileChange, KnowingChange } from '@agents/git'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import { writeManifest } from '../../document/write-manifest.ts'
import { type DesiredManifest, desiredNow, wantsDeletion } from '../snapshot/desired-state.ts'
import { withIgnoredFields } from '../snapshot/kept-fields.ts'
import type { PlacedManifest } from '../snapshot/locate-manifests.ts'
import { describes } from '../snapshot/manifest-files.ts'
import { removal } from '../snapshot/plan-snapshot.ts'
import { renderFile } from '../snapshot/render-file.ts'
import type { WatchedType } from '../stream/watched-streams.ts'
import type { FolderSettings } from './folder-settings.ts'
import { WrittenBlobs } from './written-blobs.ts'

interface ManifestWriterPorts {
  readonly clock: Pick<Clock, 'now'>
  /** The types that are watched now. */
  watched(): readonly WatchedType[]
  settings(): Pick<FolderSettings, 'encryption' | 'prune' | 'ignoresFields'>
  /** Whether the manifest has a known path in the folder. */
  isLocated(key: string): boolean
  /** Whether the manifest has no namespace, because its place in the repository implies it. */
  isImplied(key: string): boolean
  /** Whether a watch reported the deletion of the object while a rule selected it. */
  isDeleted(key: string): boolean
  /** Called if the manifest is no longer at its known path: it was moved or removed, and has to be searched for. */
  missed(identity: ManifestIdentity): void
}

/** Computes the content of each file at the time of the commit. */
export class ManifestWriter {
  readonly #ports: ManifestWriterPorts
  readonly #own = new WrittenBlobs()

  constructor(ports: ManifestWriterPorts) {
    this.#ports = ports
  }

  /**
   * Changes by path. They are evaluated when the commit is made, and again if it has to be repeated, with the state
   * of that time.
   */
  changes(placed: readonly PlacedManifest[]): Map<string, FileChange> {
    const byPath = Map.groupBy(placed, ({ path }) => path)
    const changes = new Map<string, FileChange>()
    for (const [path, all] of byPath) {
      const from = async (current: Buffer | undefined): Promise<Buffer | null> => {
        let content: Buffer | null = current ?? null
        for (const { identity } of all) content = await this.#write(path, content, identity)
        return content
      }
      // Every identity has to be evaluated.
      const acceptsLarge = (): boolean =>
        !all.map((each) => this.#acceptsLarge(each)).includes(false)
      const [first, ...others] = all
      const isAlone = first !== undefined && others.length === 0
      const known = isAlone ? this.#known(first.identity) : nothingKnown
      changes.set(path, { ...known, from, acceptsLarge })
    }
    return changes
  }

  /** Records blobs that the folder contains, so that they need not be read before they are changed. */
  know(unchanged: ReadonlyMap<string, string>): void {
    for (const [key, oid] of unchanged) this.#own.rememberName(key, oid)
  }

  async render(
    path: string,
    current: string | undefined,
    manifest: DesiredManifest,
    impliesNamespace: boolean,
  ): Promise<string> {
    const { encryption } = this.#ports.settings()
    const options = { path, impliesNamespace, encryption, now: this.#ports.clock.now() }
    if (manifest.isSecret) return renderFile(current, manifest, options)
    const key = identityKey(manifest.identity)
    const whole =
      current === undefined ? manifest : withIgnoredFields(manifest, current, impliesNamespace)
    const canonical = writeManifest(whole.object)
    const isOurs = current === undefined || this.#own.isOwn(key, current)
    const text = isOurs ? canonical : await renderFile(current, whole, options)
    if (text === canonical) this.#own.remember(key, text)
    return text
  }

  #known(identity: ManifestIdentity): KnownContent {
    const key = identityKey(identity)
    const { settings } = this.#ports
    return {
      // A file may have values of ignored fields, so it has to be read.
      knows: (oid) => !settings().ignoresFields && this.#own.isOwnName(key, oid),
      fromKnown: () => {
        const manifest = desiredNow(this.#ports.watched(), identity)
        if (manifest === undefined) {
          if (!this.mayDelete(key, identity)) return undefined
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
    }
  }

  /** A file that is too large to be read is not a manifest of the mirror, whatever it describes. */
  #acceptsLarge({ identity }: PlacedManifest): boolean {
    const { watched, isLocated, missed } = this.#ports
    if (isLocated(identityKey(identity))) {
      missed(identity)
      return true
    }
    return desiredNow(watched(), identity)?.operations.has('CREATE') !== true
  }

  /** Whether the manifest of an object that no rule selects may be deleted. */
  mayDelete(key: string, identity: ManifestIdentity): boolean {
    const { watched, settings, isDeleted } = this.#ports
    const isWanted = isDeleted(key) || wantsDeletion(watched(), identity)
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
      const goes = current !== null && this.mayDelete(key, identity)
      return goes ? removal(identity, this.#ports.isImplied(key))(current) : current
    }
    if (!manifest.operations.has(isLocated(key) ? 'UPDATE' : 'CREATE')) return current
    const next = await this.render(path, text, manifest, this.#ports.isImplied(key))
    return next === text ? current : Buffer.from(next)
  }

  #isThere(key: string, text: string | undefined, identity: ManifestIdentity): boolean {
    if (text === undefined) return false
    return this.#own.isOwn(key, text) || describes(text, identity, this.#ports.isImplied(key))
  }
}

type KnownContent = Pick<KnowingChange, 'knows' | 'fromKnown'>

const nothingKnown: KnownContent = { knows: () => false, fromKnown: () => undefined }
