import { appendAll } from '../append-all.ts'
import { forbidden, invalid, notSupported, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { dns1035LabelProblems, dns1123SubdomainProblems } from '../format/names.ts'
import type { JsonObject } from '../schema/json-value.ts'
import type { Json } from '../schema/schema.ts'
import { readObject, readText, readTexts } from './read.ts'

const conversionStrategies = ['None', 'Webhook']

/**
 * Checks the conversion between versions. Fields have the names of the API server's internal type, as in its errors.
 */
export function checkConversion(conversion: JsonObject | undefined, field: string): FieldError[] {
  if (conversion === undefined) return []
  const errors: FieldError[] = []
  const strategy = readText(conversion, 'strategy')
  if (strategy === '') errors.push(required(`${field}.strategy`))
  else if (!conversionStrategies.includes(strategy)) {
    errors.push(notSupported(`${field}.strategy`, strategy, conversionStrategies))
  }
  const webhook = readObject(conversion, 'webhook')
  const client = readObject(webhook, 'clientConfig')
  const reviews = readTexts(webhook, 'conversionReviewVersions')
  const clientField = `${field}.webhookClientConfig`
  const reviewsField = `${field}.conversionReviewVersions`
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook'
    if (client !== undefined) errors.push(forbidden(clientField, detail))
    if (reviews.length > 0) errors.push(forbidden(reviewsField, detail))
    return errors
  }
  if (client === undefined)
    errors.push(required(clientField, 'required when strategy is set to Webhook'))
  else appendAll(errors, checkClient(client, clientField))
  appendAll(errors, checkReviewVersions(reviews, reviewsField))
  return errors
}

function checkClient(client: JsonObject, field: string): FieldError[] {
  const { url } = client
  const service = readObject(client, 'service')
  if ((typeof url === 'string') === (service !== undefined)) {
    return [required(field, 'exactly one of url or service is required')]
  }
  return typeof url === 'string'
    ? checkUrl(url, `${field}.url`)
    : checkService(service, `${field}.service`)
}

const desiredUrlFormat = '; desired format: https://host[/path]'

function checkUrl(text: string, field: string): FieldError[] {
  if (!URL.canParse(text))
    return [
      required(field, `url must be a valid URL: parse ${JSON.stringify(text)}${desiredUrlFormat}`),
    ]
  const url = new URL(text)
  const errors: FieldError[] = []
  const scheme = url.protocol.slice(0, -1)
  if (scheme !== 'https') {
    errors.push(invalid(field, scheme, `'https' is the only allowed URL scheme${desiredUrlFormat}`))
  }
  if (url.host === '') errors.push(invalid(field, '', `host must be specified${desiredUrlFormat}`))
  if (url.username !== '' || url.password !== '') {
    errors.push(invalid(field, userOf(url), 'user information is not permitted in the URL'))
  }
  if (url.hash !== '') {
    errors.push(invalid(field, url.hash.slice(1), 'fragments are not permitted in the URL'))
  }
  if (url.search !== '') {
    errors.push(
      invalid(field, url.search.slice(1), 'query parameters are not permitted in the URL'),
    )
  }
  return errors
}

function userOf({ username, password }: URL): string {
  return password === '' ? username : `${username}:${password}`
}

/** Upstream passes the name as the namespace and vice versa, so that the fields in its errors are swapped. */
function checkService(service: JsonObject | undefined, field: string): FieldError[] {
  const errors: FieldError[] = []
  if (readText(service, 'namespace') === '') errors.push(required(`${field}.name`))
  if (readText(service, 'name') === '') errors.push(required(`${field}.namespace`))
  const port: Json = service?.port ?? 443
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65535) {
    errors.push(
      invalid(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'),
    )
  }
  appendAll(errors, checkServicePath(readText(service, 'path'), `${field}.path`))
  return errors
}

function checkServicePath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return []
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')]
  const errors: FieldError[] = []
  if (!path.startsWith('/')) errors.push(invalid(field, path, "must start with a '/'"))
  const steps = path.slice(1).replace(/\/$/, '').split('/')
  for (const [index, step] of steps.entries()) {
    if (step === '') errors.push(invalid(field, path, `segment[${index}] may not be empty`))
    else {
      for (const problem of dns1123SubdomainProblems(step)) {
        errors.push(invalid(field, path, `segment[${index}]: ${problem}`))
      }
    }
  }
  return errors
}

function checkReviewVersions(versions: readonly string[], field: string): FieldError[] {
  if (versions.length === 0) return [required(field)]
  const errors: FieldError[] = []
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) {
      errors.push(invalid(`${field}[${index}]`, version, 'duplicate version'))
      continue
    }
    for (const problem of dns1035LabelProblems(version)) {
      errors.push(invalid(`${field}[${index}]`, version, problem))
    }
  }
  if (!versions.includes('v1') && !versions.includes('v1beta1')) {
    errors.push(invalid(field, [...versions], 'must include at least one of v1, v1beta1'))
  }
  return errors
}
