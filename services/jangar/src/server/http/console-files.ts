import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Logger } from '@agents/log'
import { ApiError } from '../api/api-error.ts'
import type { Answer } from './route.ts'

interface File {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
  /** By encoding, packed when they are first asked for. */
  readonly packed: Map<string, Promise<Buffer>>
}

/** A build of the console, read as a whole: what is not in it cannot be asked for, whatever the path says. */
interface Build {
  readonly files: ReadonlyMap<string, File>
  readonly changedAt: number
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Scripts, styles and requests of the console itself, and nothing else: text of agents that gets in cannot act. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Paths that are never the console's. */
const ofApi = /^\/(?:v1|api|mcp|livez|readyz|openapi\.json)(?:[/?]|$)/

/** The names that the build gives to files whose content never changes. */
const hashed = /^\/assets\/.+-[\w-]{8}\.\w+$/

const largestBuild = 64 * 1024 * 1024

const encoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
}

/** The console: static files, and its page for every path that a browser opens. */
export class ConsoleFiles {
  readonly #folder: string | undefined
  readonly #log: Logger
  #build: Build | undefined
  #reading: Promise<Build | undefined> | undefined

  constructor(folder: string | undefined, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /** Whether the target of a request is not one of the API. */
  isFor(target: string): boolean {
    return !ofApi.test(target)
  }

  async answer(request: IncomingMessage, target: string): Promise<Answer> {
    const { method, headers } = request
    if (method !== 'GET' && method !== 'HEAD') throw unknownPath()
    const [pathname = '/'] = target.split('?')
    const isPage = (headers.accept ?? '').includes('text/html') && !pathname.startsWith('/assets/')
    const build = await this.#current()
    if (build === undefined) {
      if (!isPage && pathname !== '/') throw unknownPath()
      const text = 'The files of the console are not here. /openapi.json describes the API.\n'
      return { status: 404, text }
    }
    const path = pathname === '/' ? '/index.html' : pathname
    const file = build.files.get(path) ?? (isPage ? build.files.get('/index.html') : undefined)
    if (file === undefined) throw unknownPath()
    return await answerWith(file, hashed.test(path), headers)
  }

  /** The build in the folder. Undefined if there is none. */
  async #current(): Promise<Build | undefined> {
    if (this.#folder === undefined) return undefined
    const folder = this.#folder
    const found = await stat(join(folder, 'index.html')).catch(() => undefined)
    if (found === undefined || !found.isFile()) return undefined
    if (this.#build?.changedAt === found.mtimeMs) return this.#build
    this.#reading ??= readBuild(folder, found.mtimeMs)
      .catch((error: unknown) => {
        this.#log.warn('console not read', { error })
        return undefined
      })
      .finally(() => {
        this.#reading = undefined
      })
    this.#build = (await this.#reading) ?? this.#build
    return this.#build
  }
}

async function answerWith(
  file: File,
  isImmutable: boolean,
  { 'if-none-match': known, 'accept-encoding': accepted = '' }: IncomingMessage['headers'],
): Promise<Answer> {
  const { bytes, type, etag } = file
  const headers = {
    ...pageHeaders,
    etag,
    vary: 'accept-encoding',
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
  if (known === etag) return { status: 304, bytes: Buffer.alloc(0), contentType: type, headers }
  const offered = String(accepted)
    .split(',')
    .map((each) => each.trim().toLowerCase())
  const encoding = bytes.length < 1024 ? undefined : ['br', 'gzip'].find((e) => offered.includes(e))
  const encode = encoding === undefined ? undefined : encoders[encoding]
  if (encoding === undefined || encode === undefined) return { bytes, contentType: type, headers }
  const packed = file.packed.get(encoding) ?? encode(bytes)
  file.packed.set(encoding, packed)
  const packedHeaders = { ...headers, 'content-encoding': encoding }
  return { bytes: await packed, contentType: type, headers: packedHeaders }
}

async function readBuild(folder: string, changedAt: number): Promise<Build> {
  const files = new Map<string, File>()
  let size = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!isServed(entry)) continue
    const full = join(entry.parentPath, entry.name)
    const bytes = await readFile(full)
    size += bytes.length
    if (size > largestBuild) throw new Error('the files of the console are too large')
    const path = `/${relative(folder, full).replaceAll(sep, '/')}`
    const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    const type = types[extname(entry.name)] ?? 'application/octet-stream'
    files.set(path, { bytes, type, etag: `"${digest}"`, packed: new Map() })
  }
  return { files, changedAt }
}

/** Neither links, which may lead out of the folder, nor hidden files. */
function isServed(entry: Dirent): boolean {
  return entry.isFile() && !entry.name.startsWith('.')
}

function unknownPath(): ApiError {
  return new ApiError('NotFound', 'unknown path; /openapi.json describes all paths')
}
