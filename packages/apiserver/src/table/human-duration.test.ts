import { expect, test } from 'vitest'
import { humanDuration } from './human-duration.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

test.each([
  {
    given: -2 * second,
    text: '<invalid>',
    because: 'two seconds in the future are more than clock skew',
  },
  { given: -1999, text: '0s', because: 'clocks may differ by less than two seconds' },
  { given: 999, text: '0s', because: 'parts of a second are cut off' },
  { given: 119_999, text: '119s', because: 'seconds go up to two minutes' },
  { given: 2 * minute, text: '2m', because: 'zero seconds are not shown' },
  { given: 9 * minute + 59 * second, text: '9m59s', because: 'below ten minutes seconds count' },
  { given: 10 * minute + 59 * second, text: '10m', because: 'above ten minutes they do not' },
  { given: 179 * minute, text: '179m', because: 'minutes go up to three hours' },
  { given: 3 * hour + 5 * minute, text: '3h5m', because: 'below eight hours minutes count' },
  { given: 8 * hour + 5 * minute, text: '8h', because: 'above eight hours they do not' },
  { given: 47 * hour, text: '47h', because: 'hours go up to two days' },
  { given: 3 * day + 4 * hour, text: '3d4h', because: 'below eight days hours count' },
  { given: 8 * day + 4 * hour, text: '8d', because: 'above eight days they do not' },
  { given: 729 * day, text: '729d', because: 'days go up to two years' },
  { given: 740 * day, text: '2y10d', because: 'below eight years days count' },
  { given: 8 * 365 * day + 40 * day, text: '8y', because: 'above eight years they do not' },
])('$given ms is $text: $because', ({ given, text }) => {
  expect(humanDuration(given)).toBe(text)
})
