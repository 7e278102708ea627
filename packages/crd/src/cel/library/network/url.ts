import { scaleRange } from '../../cost/range.ts'
import { costOne, costScan } from '../../declaration/call-cost.ts'
import {
  type CallEstimate,
  type EstimateCall,
  estimateOne,
  stringFactor,
} from '../../declaration/call-estimate.ts'
import { type Apply, fn, type Library, method } from '../../declaration/declaration.ts'
import { boolType, listType, mapType, stringType, structType } from '../../type/type.ts'
import { listOf, mapOf } from '../../value/container.ts'
import {
  CelError,
  isOpaque,
  noSuchOverload,
  type OpaqueKind,
  type Value,
} from '../../value/value.ts'
import {
  escapedPath,
  formatUrl,
  type GoUrl,
  parseRequestUrl,
  parseUrl,
  urlHostname,
  urlPort,
  urlQuery,
} from './go-url.ts'

const urlType = structType('kubernetes.URL')

const urlKind: OpaqueKind = {
  name: urlType.name,
  equal: (left, right) => formatUrl(left as GoUrl) === formatUrl(right as GoUrl),
}

function estimateParse({ args: [text], sizeOf }: EstimateCall): CallEstimate | undefined {
  if (text === undefined) return undefined
  const size = sizeOf(text)
  return { cost: scaleRange(size, stringFactor), size }
}

const unitCost = { cost: costOne, estimate: estimateOne }

/** Functions on absolute URLs, as Go's net/url parses them. */
export const url: Library = [
  [
    'url',
    [
      fn('string_to_url', [stringType], urlType, parse, {
        cost: costScan,
        estimate: estimateParse,
      }),
    ],
  ],
  ['isURL', [fn('is_url_string', [stringType], boolType, isUrl)]],
  [
    'getScheme',
    [
      method(
        'url_get_scheme',
        [urlType],
        stringType,
        part((u) => u.scheme),
        unitCost,
      ),
    ],
  ],
  [
    'getHost',
    [
      method(
        'url_get_host',
        [urlType],
        stringType,
        part((u) => u.host),
        unitCost,
      ),
    ],
  ],
  ['getHostname', [method('url_get_hostname', [urlType], stringType, part(urlHostname), unitCost)]],
  ['getPort', [method('url_get_port', [urlType], stringType, part(urlPort), unitCost)]],
  [
    'getEscapedPath',
    [method('url_get_escaped_path', [urlType], stringType, part(escapedPath), unitCost)],
  ],
  [
    'getQuery',
    [
      method(
        'url_get_query',
        [urlType],
        mapType(stringType, listType(stringType)),
        part((u) => mapOf(Array.from(urlQuery(u), ([key, values]) => [key, listOf(values)]))),
        unitCost,
      ),
    ],
  ],
]

function parse([text]: readonly Value[]): Value {
  if (typeof text !== 'string') return noSuchOverload
  const strict = parseRequestUrl(text)
  const content = typeof strict === 'string' ? strict : parseUrl(text)
  return typeof content === 'string'
    ? new CelError(`URL parse error during conversion from string: ${content}`)
    : { kind: 'opaque', type: urlKind, content }
}

function isUrl([text]: readonly Value[]): Value {
  return typeof text === 'string' ? typeof parseRequestUrl(text) !== 'string' : noSuchOverload
}

function part(read: (url: GoUrl) => Value): Apply {
  return ([value = null]) =>
    isOpaque(value) && value.type === urlKind ? read(value.content as GoUrl) : noSuchOverload
}
