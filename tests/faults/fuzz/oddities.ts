/** Requests that only a fuzzer or a broken client sends. Each one changes nothing or is rejected. */
export interface Oddity {
  readonly because: string
  readonly method: string
  readonly target: string
  readonly body?: string | Buffer
  readonly type?: string
}

const configMaps = '/api/v1/namespaces/fuzz/configmaps'
export const widgets = '/apis/fuzz.example.dev/v1/namespaces/fuzz/widgets'
export const pod = '/api/v1/namespaces/fuzz/pods/alone'
const token = '/api/v1/namespaces/fuzz/serviceaccounts/default/token'
const tooLarge = '99999999999999999999999'
const json = 'application/json'

function get(because: string, target: string): Oddity {
  return { because, method: 'GET', target }
}

function post(because: string, target: string, body: string): Oddity {
  return {
    because,
    method: 'POST',
    target,
    body,
    type: json,
  }
}

function apply(because: string, body: string | Buffer): Oddity {
  return {
    because,
    method: 'PATCH',
    target: `${configMaps}/settings?fieldManager=odd`,
    body,
    type: 'application/apply-patch+yaml',
  }
}

function patch(because: string, target: string, type: string, body: string): Oddity {
  return {
    because,
    method: 'PATCH',
    target,
    body,
    type: `application/${type}+json`,
  }
}

function configMap(version: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', resourceVersion: version },
  })
}

function yaml(value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\ndata: {a: "${value}"}\n`
}

export const oddities: readonly Oddity[] = [
  get(
    'an object at a version beyond 64 bits',
    `${configMaps}/settings?resourceVersion=${tooLarge}`,
  ),
  get('a list at a version beyond 64 bits', `${configMaps}?resourceVersion=${tooLarge}`),
  get('a watch from a version beyond 64 bits', `${configMaps}?watch=1&resourceVersion=${tooLarge}`),
  get('an object at an invalid version', `${configMaps}/settings?resourceVersion=abc`),
  get('a list at an invalid version', `${configMaps}?resourceVersion=-1`),
  get('an empty limit', `${configMaps}?limit=`),
  get('an empty timeout', `${configMaps}?timeoutSeconds=`),
  get('invalid UTF-8 in the path', '/%ff'),
  get('an invalid escape in the path', `${configMaps}/%zz`),
  get('an unknown subresource path', `${configMaps}/settings/a/b/c`),
  { because: 'HEAD of a built-in', method: 'HEAD', target: `${configMaps}/settings` },
  { because: 'HEAD of a custom resource', method: 'HEAD', target: `${widgets}/first` },
  { because: 'HEAD of discovery', method: 'HEAD', target: '/apis' },
  { because: 'HEAD of the root', method: 'HEAD', target: '/' },
  {
    because: 'a replacement with a version beyond 64 bits',
    method: 'PUT',
    target: `${configMaps}/settings`,
    body: configMap(tooLarge),
    type: json,
  },
  {
    because: 'a replacement with an invalid version',
    method: 'PUT',
    target: `${configMaps}/settings`,
    body: configMap('-5'),
    type: json,
  },
  { because: 'another uid', method: 'DELETE', target: `${configMaps}/settings?uid=7` },
  {
    because: 'an old version',
    method: 'DELETE',
    target: `${configMaps}/settings?resourceVersion=7`,
  },
  post('POST to an old watch', '/api/v1/watch/namespaces/fuzz/configmaps', '{}'),
  post('a binding that is a list', `${pod}/binding`, '[]'),
  post('a binding that is null', `${pod}/binding`, 'null'),
  post('a binding of another kind', `${pod}/binding`, '{"kind":"Bindin"}'),
  post('a binding of another version', `${pod}/binding`, '{"apiVersion":"v2","kind":"Binding"}'),
  post('an invalid name', `${pod}/binding`, '{"metadata":{"name":5}}'),
  post('an invalid target', `${pod}/binding`, '{"metadata":{"name":"alone"},"target":7}'),
  post('no target', `${pod}/binding`, '{"metadata":{"name":"alone"}}'),
  post('a path below a binding', `${pod}/binding/watch`, '{"metadata":{"name":"alone"}}'),
  post('an eviction without a name', `${pod}/eviction`, '{}'),
  post('invalid options', `${pod}/eviction`, '{"deleteOptions":7}'),
  post(
    'an eviction of an old version',
    `${pod}/eviction`,
    '{"apiVersion":"policy/v1beta1","kind":"Eviction"}',
  ),
  post('a token with invalid audiences', token, '{"spec":{"audiences":7}}'),
  post('a token of another kind', token, '{"kind":"TokenReview"}'),
  post('an unknown field', `${token}?fieldValidation=Strict`, '{"x":1}'),
  apply('half of a surrogate pair, escaped', yaml('\\ud800')),
  apply('a surrogate pair, escaped', yaml('\\ud83d\\ude00')),
  apply('a slash, escaped', yaml('\\/')),
  apply('a control character', yaml('\u0001')),
  apply('a non-character', yaml('\ufffe')),
  apply('an invalid first byte', Buffer.from('6170695665a0', 'hex')),
  apply('a truncated character', Buffer.from('6170695665c3', 'hex')),
  apply('an invalid continuation byte', Buffer.from('6170c35665c3', 'hex')),
  apply('half of a surrogate pair', Buffer.from('61eda08065c3', 'hex')),
  apply('an overlong encoding', Buffer.from('61c0806561', 'hex')),
  apply('a key that is too long', `{"apiVersion":"v1","kind":"ConfigMap","${'k'.repeat(1023)}":1}`),
  patch('an operation that is null', `${widgets}/first`, 'json-patch', '[null]'),
  patch('an invalid operation', `${widgets}/first`, 'json-patch', '[{"op":{},"path":"/a"}]'),
  patch('an invalid patch of a missing object', `${widgets}/absent`, 'json-patch', '[7'),
  patch(
    'a number beyond the range of floats',
    `${widgets}/first`,
    'merge-patch',
    '{"spec":{"replicas":1e400}}',
  ),
  patch('a collection', widgets, 'strategic-merge-patch', '{}'),
  patch(
    'an item without its key',
    '/apis/apps/v1/namespaces/fuzz/deployments/web',
    'strategic-merge-patch',
    '{"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}',
  ),
  patch('a log', `${pod}/log`, 'merge-patch', '{}'),
]
