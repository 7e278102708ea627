import { builtinsIn, named } from './builtin-objects.ts'
import { conformance } from './suite.ts'

conformance('timeouts', ({ namespace, sameEach }) => {
  const maps = builtinsIn(namespace).core('configmaps')
  const none = `${maps}/kube-root-ca.crt-not`
  sameEach([
    ...['invalid', '5', '5x', '1h5', '-', '.s', ' 5s', '5S', '99999999999999999h'].map(
      (timeout) =>
        [
          `timeout ${timeout}`,
          400,
          'GET',
          `${none}?timeout=${encodeURIComponent(timeout)}`,
        ] as const,
    ),
    ...['', '0', '5s', '1h30m', '1.5s', '300ms', '-5s', '+5s'].map(
      (timeout) =>
        [
          `timeout ${timeout} is valid`,
          404,
          'GET',
          `${none}?timeout=${encodeURIComponent(timeout)}`,
        ] as const,
    ),
    ['timeout of a create', 400, 'POST', `${maps}?timeout=invalid`, named('timed')],
    ['timeout without a token', 400, 'GET', `${none}?timeout=invalid`, undefined, { token: null }],
    ['timeout of a path that is not a resource', 400, 'GET', '/version?timeout=invalid'],
  ])
})
