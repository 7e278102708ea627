/** The parts of an image name, as defined by the reference grammar of registries. */
interface ImageReference {
  /** In lower case, without the default port. Defaults to `docker.io`. */
  readonly host: string
  /** Includes `library/` for official images of Docker Hub. */
  readonly path: string
  readonly tag?: string
  readonly digest?: string
}

/** One spelling of an image's name. */
interface ImageForm {
  readonly text: string
  /** Whether the spelling identifies exactly this image: a tag does not if the image is pulled by digest. */
  readonly isExact: boolean
}

const hub = 'docker.io'
/** Hosts of Docker Hub. */
const hubAliases = [hub, 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']

const hostPart = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const hostPattern = new RegExp(
  `^(?:${hostPart}(?:\\.${hostPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`,
)
const pathPattern =
  /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const tagPattern = /^\w[\w.-]{0,127}$/
const digestPattern = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/

/** Undefined if the text is not a valid reference, which no node can pull. */
export function readImage(text: string): ImageReference | undefined {
  const at = text.indexOf('@')
  const digest = at === -1 ? undefined : text.slice(at + 1)
  const named = at === -1 ? text : text.slice(0, at)
  const slash = named.indexOf('/')
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const tag = colon === -1 ? undefined : named.slice(colon + 1)
  const name = colon === -1 ? named : named.slice(0, colon)
  const first = slash === -1 ? '' : name.slice(0, slash)
  const hasHost = /[.:A-Z]/.test(first) || first === 'localhost'
  const host = hasHost ? plainHost(first) : hub
  const rest = hasHost ? name.slice(slash + 1) : name
  const path = host === hub && !rest.includes('/') ? `library/${rest}` : rest
  const isValid =
    (!hasHost || hostPattern.test(first)) &&
    pathPattern.test(rest) &&
    (tag === undefined || tagPattern.test(tag)) &&
    (digest === undefined || digestPattern.test(digest))
  if (!isValid) return undefined
  return { host, path, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) }
}

function plainHost(host: string): string {
  const plain = host.toLowerCase().replace(/:443$/, '')
  return hubAliases.includes(plain) ? hub : plain
}

/** All spellings of the image that a pattern may match. */
export function imageForms({ host, path, tag, digest }: ImageReference): readonly ImageForm[] {
  const hosts = host === hub ? ['', ...hubAliases.map((alias) => `${alias}/`)] : [`${host}/`]
  const paths =
    host === hub && /^library\/[^/]+$/.test(path) ? [path, path.slice('library/'.length)] : [path]
  const names = hosts.flatMap((prefix) => paths.map((one) => prefix + one))
  return names.flatMap((name) => {
    const tagged = `${name}:${tag ?? (digest === undefined ? 'latest' : '')}`
    if (digest === undefined) {
      return [
        { text: tagged, isExact: true },
        { text: name, isExact: tag === undefined },
      ]
    }
    return [
      { text: `${name}@${digest}`, isExact: true },
      { text: tag === undefined ? `${name}@${digest}` : `${tagged}@${digest}`, isExact: true },
      { text: tagged, isExact: false },
      { text: name, isExact: false },
    ]
  })
}
