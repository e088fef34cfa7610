/** Citations written as one text, in the words of the Japanese and the Korean office. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { writtenCitation } from '../../../src/ingest/readers/written-citation.js';

const cited = (text: string): string => {
  const { patent_id, country, number, text: literature } = writtenCitation(text);
  return patent_id ?? (literature === undefined ? `${country} ${number}` : `text: ${literature}`);
};

it('Korean names of documents stand before the number, and a date in brackets behind it', () => {
  assert.equal(cited('공개특허공보 제10-2017-0062563호(2017.06.08.)'), 'KR 1020170062563');
  assert.equal(cited('등록특허공보 제10-1817109호(2018.01.11.)'), 'KR1018171090000B');
  assert.equal(cited('대한민국 공개특허 제10-2017-0062563호 공보'), 'KR 1020170062563');
  assert.equal(cited('공개특허 특2002-0012345'), 'KR 1020020012345');
  assert.equal(cited('중국공개특허공보 CN103520194A (2014.01.22.)'), 'CN103520194A');
  assert.equal(cited('중국특허공개공보 106617053(2017.05.10.)'), 'CN 106617053');
  assert.equal(cited('미국 특허공보 US6576660(2003.06.10.)'), 'US 06576660');
  assert.equal(cited('미국 특허출원공개공보 US2004/0009244호(2004.01.15.)'), 'US 20040009244');
  assert.equal(cited('국제공개공보 WO 2005/095409 A2 (2005.10.13.)'), 'WO 2005095409');
  assert.equal(cited('국제공개공보 WO01/97840(2001.12.27.)'), 'WO 2001097840');
});

it('Japanese numbers with Korean words', () => {
  assert.equal(cited('JP평성11315016 A'), 'JP11315016A');
  assert.equal(cited('JP소화49001720 A'), 'JP49001720A');
  assert.equal(cited('일본공개특허공보 특개평11-315016호'), 'JP11315016A');
  assert.equal(cited('일본등록특허공보 제6235612호(2017.11.22.)'), 'JP06235612B2');
  assert.equal(cited('특개평8-9932호 공보'), 'JP08009932A');
});

it('Japanese names of documents tell the kind', () => {
  assert.equal(cited('特開平8-9932号公報'), 'JP08009932A');
  assert.equal(cited('特開平8-9932号公報（段落0012）'), 'JP08009932A');
  assert.equal(cited('特公平6-105321号公報'), 'JP06105321B');
  assert.equal(cited('特許第6105321号公報'), 'JP06105321B2');
  assert.equal(cited('特表2010-527149号公報'), 'JP22527149T');
  assert.equal(cited('JP-B-61-12345'), 'JP61012345B');
  assert.equal(cited('JPH06105321B2'), 'JP06105321B');
});

it('Japanese gazettes put the office and the kind behind the number', () => {
  assert.equal(cited('特開２０１９－１２３４５６（ＪＰ，Ａ）'), 'JP31123456A');
  assert.equal(cited('特表２０１０－５２７１４９（ＪＰ，Ａ）'), 'JP22527149T');
  assert.equal(cited('特許第６２３５６１２号公報（ＪＰ，Ｂ２）'), 'JP06235612B2');
  assert.equal(cited('登録実用新案第３２４８００１号公報（ＪＰ，Ｕ）'), 'JP03248001U');
  assert.equal(cited('国際公開第２０１２／１２３４５６（ＷＯ，Ａ１）'), 'WO 2012123456');
  assert.equal(cited('米国特許出願公開第２０１０／０１２３４５６号明細書（ＵＳ，Ａ１）'), 'US20100123456A1');
  assert.equal(cited('米国特許第９９７１３１３号明細書（ＵＳ，Ｂ２）'), 'US09971313B2');
  assert.equal(cited('中国特許出願公開第１０５９４２９９３号明細書（ＣＮ，Ａ）'), 'CN105942993A');
  assert.equal(cited('韓国公開特許第１０－２０２０－０１０４３４９号公報（ＫＲ，Ａ）'), 'KR1020200104349A');
  assert.equal(cited('欧州特許出願公開第０３５３９４６７号明細書（ＥＰ，Ａ１）'), 'EP03539467A1');
  assert.equal(cited('独国特許出願公開第１０２００７００３９１４号明細書（ＤＥ，Ａ１）'), 'DE 102007003914');
  assert.equal(cited('架空社のカタログ（ＪＰ，Ａ）'), 'text: 架空社のカタログ（ＪＰ，Ａ）');
});

it('only a publication is cited, and not an application, a year or a page beside it', () => {
  const microfilm = '実願昭６３－０１２３４５号（実開平０２－０１２３４６号）のマイクロフィルム（ＪＰ，Ｕ）';
  assert.equal(cited(microfilm), 'JP02012346U');
  assert.equal(cited('特許第６２３５６１２号公報（ＪＰ，Ｂ１）'), 'JP06235612B1');
  assert.equal(cited('2010年5月1日発行 米国特許第5123456号（ＵＳ，Ａ）'), 'US05123456A');
  assert.equal(cited('米国特許第ＲＥ３６１５４号明細書（ＵＳ，Ｅ）'), 'USRE036154E');
  assert.equal(cited('米国意匠特許第Ｄ５６７，８９０号明細書（ＵＳ，Ｓ）'), 'USD0567890S');
  for (const text of [
    '特願２０１９－１２３４５６号（ＪＰ，Ａ）',
    '米国特許出願第１２／３４５，６７８号（ＵＳ，Ａ）',
    '特開２０１９－１２３４５６，特開２０２０－６５４３２１（ＪＰ，Ａ）',
    '架空学会誌 第12巻 2010-2012頁（ＪＰ，Ａ）',
    'Imaginary Handbook, 1999-2001（ＵＳ，Ａ）',
  ])
    assert.equal(cited(text), `text: ${text}`);
});

it('other texts stay as printed', () => {
  for (const text of [
    'JP3140911 UR',
    '특수강의 열처리, 2019',
    '실험 방법 2019',
    '미국특허출원 16/123456',
    '공개특허공보',
    '국제공개공보 WO 미상',
  ])
    assert.equal(cited(text), `text: ${text}`);
});
