import { expect, test } from 'vitest'
import { engineEnvironment } from './container-runtime.ts'

test('an engine gets its settings and proxies, but no secrets of the shell', () => {
  const settings = {
    PATH: '/usr/bin',
    HOME: '/home/user',
    XDG_RUNTIME_DIR: '/run/user/1',
    DOCKER_HOST: 'unix:///run/docker.sock',
    CONTAINER_HOST: 'unix:///run/podman.sock',
    CONTAINERS_CONF: '/etc/c.conf',
    CONTAINERS_STORAGE_CONF: '/etc/s.conf',
    https_proxy: 'http://127.0.0.1:3128',
    NO_PROXY: 'localhost',
  }
  const others = { OPENAI_API_KEY: 'hush', GITHUB_TOKEN: 'hush', JANGAR_X: '1', UNSET: undefined }
  expect(engineEnvironment({ ...settings, ...others })).toEqual(settings)
})
