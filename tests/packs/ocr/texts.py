"""The words of the generated pages. Written for this corpus; every character is in the fonts beside it."""

TITLES = (
    "서비스 이용 약관 안내",
    "Quarterly Operations Review",
    "2026년 상반기 정산 보고서",
    "개인정보 처리방침 요약",
    "Notice of Price Change",
    "품질 점검 결과 통지",
)

KOREAN = (
    "회사는 이용자가 동의한 범위 안에서만 개인정보를 처리하며, 보유 기간이 지나면 지체 없이 파기합니다.",
    "계약 기간은 2026년 3월 1일부터 2027년 2월 28일까지이며, 만료 30일 전까지 통지가 없으면 자동으로 연장됩니다.",
    "환불은 결제일로부터 7일 이내에 신청할 수 있고, 수수료 2.5%를 뺀 나머지 금액을 돌려드립니다.",
    "점검 결과 서버 12대 가운데 3대에서 냉각 장치의 소음이 기준값 45dB를 넘는 것으로 나타났습니다.",
    "담당자는 매월 말일까지 사용 내역을 확인하고 이상이 있으면 즉시 보고하여야 합니다.",
    "이번 조사에는 전국 17개 시도에서 1,284명이 참여하였으며 표본 오차는 95% 신뢰 수준에서 2.7%포인트입니다.",
    "새로운 요금제는 기본료 9,900원에 데이터 15GB를 제공하고, 초과 사용분은 1MB마다 22원이 부과됩니다.",
    "배송이 늦어지는 경우 고객센터(1588-0000)로 연락하시면 처리 현황을 알려 드립니다.",
    "본 문서의 내용은 사전 예고 없이 변경될 수 있으며 최신본은 누리집에서 확인할 수 있습니다.",
    "위원회는 제출된 의견 46건을 검토한 뒤 그 가운데 19건을 반영하기로 결정하였다.",
    "보관 온도는 섭씨 2도에서 8도 사이를 유지해야 하며 얼지 않도록 주의하십시오.",
    "참가 신청은 4월 15일 오후 6시까지 전자우편으로 받습니다. 늦게 도착한 신청서는 접수하지 않습니다.",
)

ENGLISH = (
    "The supplier shall deliver the goods within fourteen days of the order date, unless both parties agree otherwise.",
    "Invoices are payable in 30 days. A late fee of 1.5% per month applies to any amount that remains unpaid.",
    "Our measurements show a median latency of 142 ms and a 95th percentile of 480 ms under normal load.",
    "Please keep this receipt: exchanges are accepted until 31 December 2026 with the original packaging.",
    "Version 4.2 removes the legacy export format; use the JSON interface described in section 7 instead.",
    "Employees may work remotely up to three days a week, subject to approval by their team lead.",
    "The committee reviewed 46 comments, adopted 19 of them, and asked for more data on the remaining items.",
    "Do not expose the battery to temperatures above 60 degrees or puncture its outer casing.",
)

MIXED = (
    "API 호출은 분당 60회로 제한되며 초과하면 HTTP 429 응답과 Retry-After 헤더를 돌려줍니다.",
    "SmartFetcher는 HTTPS 주소만 허용하고 redirect는 최대 5번까지 따라갑니다.",
    "PDF 파일은 50 페이지, 이미지는 PNG, JPEG, WEBP, TIFF 형식을 지원합니다.",
    "CPU 사용률 87%, 메모리 6.2GB, 디스크 여유 공간 118GB를 기록했습니다.",
)

FINE_PRINT = (
    "※ 본 상품은 예금자보호법에 따라 보호되지 않으며 원금 손실이 발생할 수 있습니다.",
    "※ 가입 전 상품설명서와 약관을 반드시 읽어 보시기 바랍니다. 준법감시인 심의필 제2026-0417호",
    "* Offer valid for new customers only. Taxes and delivery charges are not included in the price shown.",
    "* 표시된 연비는 표준 모드에 의한 것으로 도로 상태와 운전 방법에 따라 실제와 다를 수 있습니다.",
    "Copyright 2026 Example Trading Co., Ltd. All rights reserved. Registration no. 120-81-00000",
    "* 사은품은 재고가 소진되면 예고 없이 다른 제품으로 바뀔 수 있으며 현금으로 교환되지 않습니다.",
)

TABLE_HEADER = ("품목", "수량", "단가", "금액")
TABLE_ROWS = (
    ("노트북", "4", "1,250,000", "5,000,000"),
    ("모니터 27형", "8", "312,000", "2,496,000"),
    ("Keyboard", "12", "48,500", "582,000"),
    ("무선 마우스", "12", "29,900", "358,800"),
    ("USB-C 케이블", "30", "7,700", "231,000"),
    ("설치 및 배송", "1", "150,000", "150,000"),
    ("합계", "67", "-", "8,817,800"),
)

MENU = (
    "홈",
    "내 실행 목록",
    "결제 및 잔액",
    "API 키 관리",
    "Settings",
    "Sign out",
)
DIALOG = (
    "변경 사항을 저장하시겠습니까?",
    "저장하지 않으면 마지막 변경 내용이 사라집니다.",
    "Last saved 3 minutes ago",
    "Run 4f2a91 completed in 12.4 s",
    "잔액 48.2500 USD, 예약 1.5000 USD",
    "오류 코드 E-1042: 연결 시간이 초과되었습니다.",
)

_CELLS = (*TABLE_HEADER, *(cell for row in TABLE_ROWS for cell in row))
ALL = (*TITLES, *KOREAN, *ENGLISH, *MIXED, *FINE_PRINT, *_CELLS, *MENU, *DIALOG)
