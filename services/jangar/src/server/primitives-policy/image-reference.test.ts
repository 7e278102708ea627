import { describe, expect, test } from 'vitest'
import { imageProblem } from '../agents-controller/agent-run/resolve/platform-policy.ts'
import { readImage } from './image-reference.ts'

const digest = `sha256:${'a'.repeat(64)}`
const rules = { imagesAllowed: [], imagesDenied: [] } as unknown as Parameters<
  typeof imageProblem
>[1]

describe('a denied image is denied in every spelling', () => {
  test.each([
    ['evil/tool:*', 'evil/tool:1'],
    ['evil/tool:*', 'docker.io/evil/tool:1'],
    ['evil/tool:*', 'index.docker.io/evil/tool:1'],
    ['evil/tool:*', 'registry-1.docker.io/evil/tool:1'],
    ['evil/tool:*', 'DOCKER.IO/evil/tool:1'],
    ['evil/tool:*', 'docker.io:443/evil/tool:1'],
    ['evil/tool:*', 'evil/tool'],
    ['evil/tool:*', `evil/tool@${digest}`],
    ['evil/tool', 'docker.io/evil/tool:1'],
    ['docker.io/evil/*', 'evil/tool:1'],
    ['index.docker.io/evil/*', 'evil/tool:1'],
    ['busybox:latest', 'docker.io/library/busybox'],
    ['busybox:latest', 'library/busybox'],
    ['busybox*', 'docker.io/busybox:1.36'],
    ['docker.io/library/busybox*', 'busybox'],
    ['ghcr.io/evil/*', 'GHCR.io/evil/x:1'],
    ['ghcr.io/evil/*', 'ghcr.io:443/evil/x:1'],
    ['Evil/Tool:*', 'evil/tool:1'],
    ['*/unsafe:*', `example.org/unsafe@${digest}`],
    ['localhost:5000/x*', `localhost:5000/x:1@${digest}`],
  ])('%s covers %s', (pattern, image) => {
    expect(imageProblem(image, { ...rules, imagesDenied: [pattern] })).toMatchObject({
      reason: 'ImageBlocked',
    })
  })

  test.each([
    ['evil/*', 'example.org/evil/tool:1'],
    ['busybox*', 'team/busybox:1'],
    ['docker.io/evil/*', 'docker.io.example.org/evil/x'],
  ])('%s does not cover %s', (pattern, image) => {
    expect(imageProblem(image, { ...rules, imagesDenied: [pattern] })).toBeUndefined()
  })
})

describe('an allowed image', () => {
  test.each([
    ['good/*', 'docker.io/good/x:1'],
    ['docker.io/good/*', 'good/x'],
    ['busybox:latest', 'busybox'],
    ['good/x:*', `good/x:1@${digest}`],
    ['registry.example.com:5000/*', 'registry.example.com:5000/a/b:1'],
  ])('%s covers %s', (pattern, image) => {
    expect(imageProblem(image, { ...rules, imagesAllowed: [pattern] })).toBeUndefined()
  })

  test.each([
    ['good/x:1', `good/x:1@${digest}`],
    ['good/x', 'good/x:evil'],
    ['good/*', 'evil.example.org/good/x'],
    ['good/*', 'good/x:1@sha256:short'],
    ['*', 'docker://busybox'],
    ['*', 'team/Case'],
    ['*', ' busybox'],
    ['*', ''],
  ])('%s does not cover %s', (pattern, image) => {
    expect(imageProblem(image, { ...rules, imagesAllowed: [pattern] })).toMatchObject({
      reason: 'ImageNotAllowed',
    })
  })
})

test('a reference is parsed as registries do', () => {
  expect(readImage('busybox')).toEqual({ host: 'docker.io', path: 'library/busybox' })
  expect(readImage('localhost/x:1')).toEqual({ host: 'localhost', path: 'x', tag: '1' })
  expect(readImage('a:5000/b')).toEqual({ host: 'a:5000', path: 'b' })
  expect(readImage('a:5000')).toEqual({ host: 'docker.io', path: 'library/a', tag: '5000' })
})
