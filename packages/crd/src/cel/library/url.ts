import { listOf, mapOf } from '../container.ts'
import { costOne, costScan } from '../cost.ts'
import { type Apply, fn, type Library, method } from '../declaration.ts'
import { type Estimate, estimateOne, STRING_FACTOR } from '../estimate-call.ts'
import {
  escapedPath,
  formatUrl,
  type GoUrl,
  parseRequestUrl,
  parseUrl,
  urlHostname,
  urlPort,
  urlQuery,
} from '../go-url.ts'
import { scaleRange } from '../range.ts'
import { BOOL, listType, mapType, STRING, structType } from '../type.ts'
import { CelError, isOpaque, NO_SUCH_OVERLOAD, type OpaqueKind, type Value } from '../value.ts'

const URL_TYPE = structType('kubernetes.URL')

const URL_KIND: OpaqueKind = {
  name: URL_TYPE.name,
  equal: (left, right) => formatUrl(left as GoUrl) === formatUrl(right as GoUrl),
}

const estimateParse: Estimate = ({ args: [text], sizeOf }) => {
  if (text === undefined) return undefined
  const size = sizeOf(text)
  return { cost: scaleRange(size, STRING_FACTOR), size }
}

const ONE = { cost: costOne, estimate: estimateOne }

/** Absolute URLs, as Go's net/url reads them. */
export const url: Library = [
  [
    'url',
    [fn('string_to_url', [STRING], URL_TYPE, parse, { cost: costScan, estimate: estimateParse })],
  ],
  ['isURL', [fn('is_url_string', [STRING], BOOL, isUrl)]],
  [
    'getScheme',
    [
      method(
        'url_get_scheme',
        [URL_TYPE],
        STRING,
        part((u) => u.scheme),
        ONE,
      ),
    ],
  ],
  [
    'getHost',
    [
      method(
        'url_get_host',
        [URL_TYPE],
        STRING,
        part((u) => u.host),
        ONE,
      ),
    ],
  ],
  ['getHostname', [method('url_get_hostname', [URL_TYPE], STRING, part(urlHostname), ONE)]],
  ['getPort', [method('url_get_port', [URL_TYPE], STRING, part(urlPort), ONE)]],
  ['getEscapedPath', [method('url_get_escaped_path', [URL_TYPE], STRING, part(escapedPath), ONE)]],
  [
    'getQuery',
    [
      method(
        'url_get_query',
        [URL_TYPE],
        mapType(STRING, listType(STRING)),
        part((u) => mapOf(Array.from(urlQuery(u), ([key, values]) => [key, listOf(values)]))),
        ONE,
      ),
    ],
  ],
]

function parse([text]: readonly Value[]): Value {
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD
  const strict = parseRequestUrl(text)
  const content = typeof strict === 'string' ? strict : parseUrl(text)
  return typeof content === 'string'
    ? new CelError(`URL parse error during conversion from string: ${content}`)
    : { kind: 'opaque', type: URL_KIND, content }
}

function isUrl([text]: readonly Value[]): Value {
  return typeof text === 'string' ? typeof parseRequestUrl(text) !== 'string' : NO_SUCH_OVERLOAD
}

function part(read: (url: GoUrl) => Value): Apply {
  return ([value = null]) =>
    isOpaque(value) && value.type === URL_KIND ? read(value.content as GoUrl) : NO_SUCH_OVERLOAD
}
