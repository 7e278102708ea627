import { isFull } from '../../support/tier.ts'
import { testManifests } from './manifests.ts'

testManifests(isFull ? 5_000 : 1_500)
