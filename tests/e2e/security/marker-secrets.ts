import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { filesWith } from '../../../packages/git/src/testing/secret-scan.ts'

/** A value of one Secret, in all the encodings that programs print. */
export interface Marker {
  readonly name: string
  readonly value: string
  readonly spellings: readonly string[]
}

/** A random value that occurs nowhere else on the machine, with characters that URLs and JSON escape. */
export function newMarker(name: string): Marker {
  const value = `${name}/${randomBytes(12).toString('hex')}+"q=${randomBytes(6).toString('hex')}`
  return { name, value, spellings: spellingsOf(value) }
}

/** A marker without characters that are escaped, e.g. for a password within a URL. */
export function newPlainMarker(name: string): Marker {
  const value = `${name}-${randomBytes(16).toString('hex')}`
  return { name, value, spellings: spellingsOf(value) }
}

function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const shifted = [0, 1, 2].map((shift) => base64Core(bytes, shift))
  return [
    value,
    ...shifted,
    ...shifted.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
  ]
}

/**
 * The part of the base64 encoding that is the same for any text that contains the value at this offset: without the
 * characters that encode neighbouring bytes too.
 */
function base64Core(bytes: Buffer, shift: number): string {
  const padded = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]).toString('base64')
  const start = shift === 0 ? 0 : 4
  return padded.replace(/=+$/, '').slice(start, -1)
}

/** The names of the markers that the text contains. */
export function markersIn(markers: readonly Marker[], text: string): string[] {
  const isIn = ({ spellings }: Marker): boolean => spellings.some((one) => text.includes(one))
  return markers.filter(isIn).map(({ name }) => name)
}

/** Files below a folder that contain a marker, except the excluded ones. */
export async function filesGivingAway(
  markers: readonly Marker[],
  folder: string,
  isExcepted: (path: string) => boolean = () => false,
): Promise<string[]> {
  const words = markers.flatMap(({ spellings }) => spellings)
  const found = await filesWith(folder, words)
  return found.filter((path) => !isExcepted(path))
}

/** Files that the users of pods have left in the machine's temporary folder. */
export function leftByPods(folder: string, since: string): string[] {
  const users = ['(', '-uid', '65532', '-o', '-uid', '65533', ')']
  const args = [folder, '-maxdepth', '4', ...users, '-type', 'f', '-newer', since]
  const { stdout } = spawnFind(args)
  return stdout.split('\n').filter(Boolean)
}

/** Files may disappear during the search, which is not an error. */
function spawnFind(args: readonly string[]): { readonly stdout: string } {
  try {
    return { stdout: execFileSync('find', args, { encoding: 'utf8', stdio: 'pipe' }) }
  } catch (error) {
    return { stdout: String((error as { stdout?: unknown }).stdout ?? '') }
  }
}

/** All objects of a repository, uncompressed, including unreachable ones. */
export function objectsOf(repository: string): string {
  const bytes = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', GIT_DIR: join(repository) },
    maxBuffer: 2 ** 30,
  })
  return bytes.toString('latin1')
}
