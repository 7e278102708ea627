import { describe, expect, test } from 'vitest'
import { parseRequestInfo } from './request-info.ts'

function parse(method: string, url: string) {
  const [path = '', query = ''] = url.split('?')
  return parseRequestInfo(method, path, new URLSearchParams(query))
}

describe('parseRequestInfo', () => {
  test.each([
    {
      url: '/api/v1/pods',
      method: 'GET',
      is: { verb: 'list', group: '', version: 'v1', resource: 'pods', namespace: '' },
    },
    {
      url: '/api/v1/namespaces/a/pods',
      method: 'POST',
      is: { verb: 'create', namespace: 'a', resource: 'pods', name: '' },
    },
    {
      url: '/api/v1/namespaces/a/pods/b/log',
      method: 'GET',
      is: { verb: 'get', name: 'b', subresource: 'log' },
    },
    {
      url: '/api/v1/namespaces/a',
      method: 'DELETE',
      is: { verb: 'delete', resource: 'namespaces', name: 'a', namespace: 'a' },
    },
    {
      url: '/api/v1/namespaces/a/finalize',
      method: 'PUT',
      is: { verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' },
    },
    {
      url: '/api/v1/namespaces',
      method: 'GET',
      is: { verb: 'list', resource: 'namespaces', name: '' },
    },
    {
      url: '/apis/g.dev/v1/namespaces/a/ws',
      method: 'DELETE',
      is: { verb: 'deletecollection', group: 'g.dev' },
    },
    { url: '/apis/g.dev/v1/ws?watch=1', method: 'GET', is: { verb: 'watch', resource: 'ws' } },
    { url: '/apis/g.dev/v1/ws?watch=false', method: 'GET', is: { verb: 'list' } },
    {
      url: '/apis/g.dev/v1/watch/namespaces/a/ws',
      method: 'GET',
      is: { verb: 'watch', namespace: 'a', resource: 'ws' },
    },
    {
      url: '/apis/g.dev/v1/ws?fieldSelector=metadata.name%3Dx',
      method: 'GET',
      is: { verb: 'list', name: 'x', fieldSelector: 'metadata.name=x' },
    },
    {
      url: '/apis/g.dev/v1/ws?fieldSelector=metadata.name!%3Dx',
      method: 'GET',
      is: { verb: 'list', name: '' },
    },
    { url: '/apis/g.dev/v1/ws/a%20b', method: 'PATCH', is: { verb: 'patch', name: 'a b' } },
    { url: '/apis/g.dev/v1/ws/', method: 'GET', is: { verb: 'list', name: '' } },
    { url: '/apis/g.dev/v1', method: 'GET', is: { isResource: false, verb: 'get' } },
    { url: '/api/v1', method: 'GET', is: { isResource: false } },
    { url: '/healthz', method: 'POST', is: { isResource: false, verb: 'post' } },
    { url: '/apis/g.dev//v1/ws', method: 'GET', is: { isResource: false } },
  ])('$method $url', ({ url, method, is }) => {
    expect(parse(method, url)).toMatchObject(is)
  })

  test.each(['/api/v1/pods/%', '/api/v1/pods/%00', '/%c0%80'])(
    '%s cannot be read, so nothing serves it',
    (url) => {
      expect(parse('GET', url)).toMatchObject({ isResource: false, path: url })
    },
  )
})
