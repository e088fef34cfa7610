/** Country names as KIPRIS prints them in priority claims → WIPO ST.3 codes. */
export const KOREAN_COUNTRY_NAMES: Record<string, string> = {
  ...{ 대한민국: 'KR', 미국: 'US', 일본: 'JP', 중국: 'CN', 유럽특허청: 'EP', 국제사무국: 'WO', 독일: 'DE' },
  ...{ 영국: 'GB', 프랑스: 'FR', 이탈리아: 'IT', 스페인: 'ES', 네덜란드: 'NL', 벨기에: 'BE', 스위스: 'CH' },
  ...{
    오스트리아: 'AT',
    스웨덴: 'SE',
    노르웨이: 'NO',
    덴마크: 'DK',
    핀란드: 'FI',
    아일랜드: 'IE',
    폴란드: 'PL',
  },
  ...{ 포르투갈: 'PT', 포르투칼: 'PT', 헝가리: 'HU', 체코: 'CZ', 그리스: 'GR', 튀르키예: 'TR', 터키: 'TR' },
  ...{ 터어키: 'TR', 러시아: 'RU', 우크라이나: 'UA', 이스라엘: 'IL', 인도: 'IN', 대만: 'TW', 홍콩: 'HK' },
  ...{ 싱가포르: 'SG', 싱가폴: 'SG', 말레이지아: 'MY', 말레이시아: 'MY', 태국: 'TH', 베트남: 'VN' },
  ...{ 인도네시아: 'ID', 필리핀: 'PH', 오스트레일리아: 'AU', 호주: 'AU', 뉴질랜드: 'NZ', 캐나다: 'CA' },
  ...{ 멕시코: 'MX', 브라질: 'BR', 아르헨티나: 'AR', 칠레: 'CL', 콜롬비아: 'CO', 남아프리카: 'ZA' },
  ...{ 남아프리카공화국: 'ZA', 이집트: 'EG', 요르단: 'JO', 사우디아라비아: 'SA', 룩셈부르크: 'LU' },
};
