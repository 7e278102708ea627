import { bodies, headers, jsonTexts, methods, queryNames, queryValues, segments } from './nasty.ts'
import type { Random } from './random.ts'
import type { RawRequest } from './raw-request.ts'

/** Changes up to four parts of a real request. */
export function mutate(original: RawRequest, random: Random): RawRequest {
  const request: RawRequest = {
    method: original.method,
    path: [...original.path],
    query: original.query.map(([name, value]) => [name, value]),
    headers: original.headers.map(([name, value]) => [name, value]),
    body: original.body,
  }
  for (let changes = random.integer(5); changes > 0; changes--) change(request, random)
  return request
}

function change(request: RawRequest, random: Random): void {
  // Most of the server's code processes bodies.
  const kind = random.integer(10)
  if (kind < 5 && request.body !== undefined) changeBody(request, random)
  else if (kind < 7) changeQuery(request, random)
  else if (kind < 8) changePath(request, random)
  else if (kind < 9) changeHeader(request, random)
  else if (random.chance(0.3)) request.method = random.pick(methods)
}

function changePath({ path }: RawRequest, random: Random): void {
  const at = random.integer(path.length + 1)
  const segment = random.pick(segments)
  switch (random.integer(3)) {
    case 0:
      path.splice(at, 0, segment)
      break
    case 1:
      path.splice(at, 1, segment)
      break
    default:
      path.splice(at, 1)
  }
}

function changeQuery({ query }: RawRequest, random: Random): void {
  if (query.length > 0 && random.chance(0.5)) {
    const parameter = query[random.integer(query.length)]
    if (parameter !== undefined) parameter[1] = random.pick(queryValues)
    return
  }
  query.push([random.pick(queryNames), random.pick(queryValues)])
}

function changeHeader(request: RawRequest, random: Random): void {
  const [name, value] = random.pick(headers)
  const others = request.headers.filter(([other]) => other !== name || random.chance(0.1))
  request.headers = [...others, [name, value]]
}

function changeBody(request: RawRequest, random: Random): void {
  const { body } = request
  if (body === undefined) return
  const kind = random.integer(100)
  if (kind < 1) request.body = random.pick(bodies as [(typeof bodies)[number]])[1]()
  else if (kind < 5) request.body = body.subarray(0, random.integer(body.length + 1))
  else if (kind < 10) request.body = flipped(body, random)
  else request.body = restructured(body, random)
}

function flipped(body: Buffer, random: Random): Buffer {
  const copy = Buffer.from(body)
  if (copy.length > 0) copy[random.integer(copy.length)] = random.integer(256)
  return copy
}

/** No request of the corpus is longer. */
const largest = 8_000
const mark = '\u0001mark\u0001'

/** Replaces one value or adds a member, and leaves the rest unchanged. */
function restructured(body: Buffer, random: Random): Buffer {
  let value: unknown
  // A body that was mutated before may be nested too deeply for JSON.parse.
  if (body.length > largest) return flipped(body, random)
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return flipped(body, random)
  }
  const places: [holder: Record<string, unknown>, key: string][] = []
  collect(value, places)
  const place = places[random.integer(Math.max(places.length, 1))]
  if (place === undefined) return Buffer.from(random.pick(jsonTexts))
  const [holder, key] = place
  const action = random.integer(6)
  if (action === 0) delete holder[key]
  else holder[action === 1 ? random.pick(segments) : key] = mark
  return Buffer.from(JSON.stringify(value).replaceAll(JSON.stringify(mark), random.pick(jsonTexts)))
}

function collect(value: unknown, places: [Record<string, unknown>, string][]): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    places.push([value as Record<string, unknown>, key])
    collect(inner, places)
  }
}
