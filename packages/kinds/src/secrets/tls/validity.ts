// SPDX-License-Identifier: Apache-2.0
/** Ref: Go 1.26 crypto/x509/parser.go parseTime; golang.org/x/crypto/cryptobyte asn1.go ReadASN1UTCTime, ReadASN1GeneralizedTime. */
import {type Der, nextTag, readContent, TAG} from './der.ts';

const ZONE = '(Z|[+-]\\d{4})';
const UTC = new RegExp(`^(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)?${ZONE}$`);
const GENERALIZED = new RegExp(`^(\\d{4})(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)${ZONE}$`);
/** Written as `Z` by Go, so it is not read back as the same text. */
const ZERO_ZONE = /^[+-]0000$/;

/** What is wrong with the time that comes next, without `x509:`. */
export const timeFault = (der: Der): string | undefined => {
  switch (nextTag(der)) {
    case TAG.utcTime:
      return isTime(readContent(der, TAG.utcTime), UTC) ? undefined : 'malformed UTCTime';
    case TAG.generalizedTime:
      return isTime(readContent(der, TAG.generalizedTime), GENERALIZED) ? undefined : 'malformed GeneralizedTime';
    default:
      return 'unsupported time format';
  }
};

/** Years of two digits: those from 69 on are of the last century. */
const yearOf = (digits: string): number => {
  const year = Number(digits);
  return digits.length > 2 ? year : year + (year >= 69 ? 1900 : 2000);
};

const isTime = (content: Buffer | undefined, format: RegExp): boolean => {
  const match = content === undefined ? null : format.exec(content.toString('latin1'));
  if (match === null) return false;
  const [, year = '', month, day, hour, minute, second = '00', zone = 'Z'] = match;
  if (zone !== 'Z' && (ZERO_ZONE.test(zone) || Number(zone.slice(1, 3)) > 24 || Number(zone.slice(3)) > 60))
    return false;
  const date = new Date(0);
  date.setUTCFullYear(yearOf(year), Number(month) - 1, Number(day));
  const isDate = Number(day) >= 1 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isDate && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
};
